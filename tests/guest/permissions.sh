# SPDX-License-Identifier: MIT
# On a booted machine: what docs/permissions.md says lets members of a group count without root. What is
# installed is copied to where it was configured to be, because with a file capability the loader searches
# there.
. "$SRCDIR/tests/guest/counting.sh"
event=skl_unc_clk.UNC_CLOCK
user() { setpriv --reuid="$1" --regid="$2" --clear-groups -- "${@:3}"; }
lib=$(readelf -d "$STAGE/bin/ipmu-run" | sed -n 's/.*RUNPATH.*:\(\/[^]]*\)\]/\1/p')
way=$(realpath -m --relative-to="$STAGE_LIB" "$STAGE/bin")
bin=$(realpath -m "$lib/$way")
prefix=$(realpath -m "$lib/$(realpath -m --relative-to="$STAGE_LIB" "$STAGE")")
mkdir -p "$lib" "$bin" "$prefix/share" && cp -P "$STAGE_LIB"/lib*.so* "$lib" &&
	cp "$STAGE"/bin/ipmu-{run,restore,check} "$bin" && cp -r "$STAGE/share/ipmu" "$prefix/share/" ||
	fail 'the installation cannot be copied'
count=("$bin/ipmu-run" -q -e $event -- sleep 0.1)
rm -rf /run/ipmu

# -- nobody has been given anything
refused 'a user' '/dev/cpu/0/msr: no permission: only root may read and write it: let root give it to a group' \
	user 54321 54321 "${count[@]}"

# -- as the page has it; without udev and systemd the same by hand
cp -r "$prefix/share/ipmu/permissions/." /etc/ || fail 'the rules'
group=$(sed -n 's/^g \([a-z]*\) .*/\1/p' /etc/sysusers.d/ipmu.conf)
groupadd --system "$group" || fail "no group $group"
gid=$(getent group "$group" | cut -d: -f3)
if [ -x /lib/systemd/systemd-udevd ] && command -v udevadm >/dev/null; then
	mkdir -p /run/udev
	/lib/systemd/systemd-udevd --daemon && udevadm control --reload &&
		udevadm trigger --action=add --subsystem-match=msr --subsystem-match=cpuid && udevadm settle ||
		fail 'udev'
	echo 'rules: by udev'
else
	mode=$(sed -n '/^SUBSYSTEM=="msr",/s/.*MODE="\([0-7]*\)"/\1/p' /etc/udev/rules.d/60-ipmu.rules)
	chgrp "$group" /dev/cpu/*/msr && chmod "$mode" /dev/cpu/*/msr || fail 'the devices'
	echo 'rules: by hand'
fi
same 'the devices' "660 $gid" "$(stat -c '%a %g' /dev/cpu/*/msr | sort -u)"
if command -v systemd-tmpfiles >/dev/null; then
	systemd-tmpfiles --create ipmu.conf || fail 'systemd-tmpfiles'
	echo 'directory: by systemd-tmpfiles'
else
	read -r _ folder mode owner its_group _ < <(grep '^d ' /etc/tmpfiles.d/ipmu.conf)
	install -d -m "$mode" -o "$owner" -g "$its_group" "$folder" || fail 'the directory'
fi
same 'the state directory' "2770 $gid" "$(stat -c '%a %g' /run/ipmu)"

# -- a member's programs, but for those that were permitted, still lack the capability
refused 'a member without setcap' "not permitted: it needs CAP_SYS_RAWIO: root, a program with 'setcap cap_sys_rawio=ep" \
	user 54321 "$gid" "${count[@]}"
setcap cap_sys_rawio=ep "$bin/ipmu-run" cap_sys_rawio=ep "$bin/ipmu-restore" || fail 'setcap'
counts 'a member' user 54321 "$gid" "${count[@]}"
says 'a member' UNC_CLOCK
counts 'another member' user 54323 "$gid" "${count[@]}"
refused 'a user outside of the group' "/dev/cpu/0/msr: no permission: join group '$group'" \
	user 54321 54321 "${count[@]}"
refused "what a member's ipmu-run starts" "Operation not permitted" user 54321 "$gid" \
	"$bin/ipmu-run" -q -e $event -- dd if=/dev/cpu/0/msr of=/dev/null bs=8 count=1

# -- killed: its helper has the capability as well, and restores
"$HERE/registers" <"$HERE/list" >before
setpriv --reuid=54321 --regid="$gid" --clear-groups -- "$bin/ipmu-run" -q -e $event -- sleep 1000 >/dev/null 2>&1 &
pid=$!
for ((i = 0; i < 3000; i++)); do
	"$HERE/registers" <"$HERE/list" | cmp -s - before || break
	sleep 0.1
done
kill -KILL $pid
wait $pid 2>/dev/null
counts "ipmu-restore of a member" user 54323 "$gid" "$bin/ipmu-restore"
"$HERE/registers" <"$HERE/list" | diff before - >differ || fail "what SIGKILL leaves: $(cat differ)"
finish
