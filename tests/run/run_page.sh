#!/bin/bash
# SPDX-License-Identifier: MIT
# The files of ipmu-run -o: the page has what the table has, nothing that comes from names is
# markup, and a file is whole or not there.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../run/on_machine.sh"
needs ipmu-run lstopo-no-graphics python3
cd "$scratch" || exit 1
export XDG_CONFIG_HOME=$scratch/config TMPDIR=$scratch/tmp
mkdir -p tmp config/ipmu/groups/skl_unc
event=skl_unc_clk.UNC_CLOCK:SOCKET

has() {		# has WHAT COUNT TEXT FILE: as often in the file, on lines of their own
	is "$1" "$2" "$(grep -cF -- "$3" "$4")"
}

# -- what was counted is on it
if command -v qemu-x86_64 >/dev/null; then
	ipmu-run --on skl-4c8t -g MEM,LLC_READ --per-box -o f true 2>err; is 'a page' 0 $?
	is 'nothing is said' '' "$(complaints)"
	# Every count of the table is on the page; each is found once as a count, or more if equal.
	missing=$(awk -F, '$1 == "event" { print $5 }' f.csv | sort -u |
		while read -r n; do sed 's/<.\?span>//g' f.html | grep -qE "[;>]$n</td>" || echo "$n"; done)
	is 'there are counts' 12 "$(awk -F, '$1 == "event" && $5 > 0' f.csv | wc -l)"
	is 'metrics' "$(grep -c '^metric.*,all,' f.csv)" "$(grep -c 'class="formula"' f.html)"
	for i in 0 1 2 3; do has "CBo $i, wide and narrow" 2 ">CBo $i<" f.html; done
	[ "$(grep -n -m1 '<td class="n">' f.html | cut -d: -f1)" -lt "$(grep -n -m1 '<h2>Machine' f.html | cut -d: -f1)" ]
	verdict 'numbers come first' $?
	is 'the drawing is folded where it is narrow' 1 "$(grep -c '<details class="narrow"><summary>' f.html)"
	python3 - <<-'END' f.html f.json
		import html, json, re, sys
		page, r = html.unescape(open(sys.argv[1]).read()), json.load(open(sys.argv[2]))
		wanted = (r["host"], "ipmu-run " + r["ipmu_version"], "model version %d" % r["model_version"], r["geometry"])
		missing = [w for w in wanted if ">" + w + "<" not in page and " " + w not in page]
		large = [e["value"] for g in r["groups"] for e in g["events"] if e["value"] >= 10000]
		threes = lambda n: re.sub(",([0-9]{3})", r"<span>\1</span>", "{:,}".format(n))
		missing += [n for n in large if 'class="n">%s<' % threes(n) not in page]
		if missing or not large or not re.search(r'<p class="soft">20\d\d-\d\d-\d\dT[\d:]+Z ', page):
		    sys.exit("not on the page: %s" % missing)
	END
	verdict 'date, host, versions, geometry, digits in threes' $?
	has 'its metric' 2 '>memory bandwidth ' f.html
	has 'no name is there twice' 0 ' id=' f.html
fi
on nhmex-2p16c32t -g MEM -o f true
has 'both packages, wide and narrow' 4 '>Package L#' f.html
has 'their M-Boxes' 4 '>nhmex_unc_mbox<' f.html
on core2-4c -g CPI --per-cpu -o f true
is 'each CPU has its count' 8 "$(grep -c '>INST_RETIRED[A-Z_:]* 0<\|>INSTR.* 0<' f.html)"
on adl-2p4e8t -g CPI --per-cpu -o f true
is 'P and E cores: rows of each table' '16 16' "$(grep -c '<td>cpu [0-3], P core</td>' f.html) $(grep -c '<td>cpu [4-7], E core</td>' f.html)"
is 'P and E cores: drawn, wide and narrow' '4 8' "$(grep -o '>P core L#' f.html | wc -l) $(grep -o '>E core L#' f.html | wc -l)"
# The plots of one unit have one axis: a stand-in for gnuplot keeps its script.
mkdir plotter
cat >plotter/gnuplot <<-END
	#!/bin/sh
	cp "\$2" $scratch/script
	exit 3
END
chmod +x plotter/gnuplot
if command -v qemu-x86_64 >/dev/null; then
	PATH=$scratch/plotter:$PATH ipmu-run --on skl-4c8t -g MEM --interval 1 -o f sort /etc/services 2>err >/dev/null
	is 'equal axes: of GB/s, and of MB' '6 2' "$(awk '/^set yrange/ { range = $3 } /^set ylabel/ { n[$3 " " range]++ }
		END { for (k in n) print n[k] }' script | sort -rn | paste -sd' ')"
	top=$(awk '/^set yrange/ { range = $3 } /^set ylabel .GB/ { gsub(/.*:|\]/, "", range); print range; exit }' script)
	is 'equal axes: above the largest bandwidth' True "$(python3 - "$top" <<-'END'
		import json, sys
		r = json.load(open("f.json"))
		t = r["timelines"][0]
		ends = t["end_ns"]
		rate = lambda names: max(64 * sum(e["parts"][0]["counts"][i] for e in t["events"] if any(n in e["name"] for n in names)) /
		                         max(ends[i] - (ends[i - 1] if i else 0), 1) for i in range(len(ends)))
		print(0.99 < float(sys.argv[1]) / (1.05 * rate(["READS", "WRITES"])) < 1.01)
	END
	)"
fi
on knc-17c68t -g CPI --per-cpu -o f true
is 'of 68 CPUs the sum is drawn' 2 "$(grep -c '>INSTRUCTIONS_EXECUTED 0<' f.html)"
is 'and the table has each' 68 "$(grep -c '^event,knc/CPI,.*INSTRUCTIONS_EXECUTED,cpu' f.csv)"
on skl-4c8t -g LLC_STATES --passes -r 2 -o f true
has 'passes are told' 1 '<td>pass 2</td>' f.html
on skl-4c8t -g LLC_STATES --passes -o f sh -c 'kill -INT $$'
has 'no complete run' 1 '0 of 1 complete runs' f.html

# -- names are text
cat >config/ipmu/groups/skl_unc/BAD <<-END
	title: </title><script>a()</script>
	event: A = $event
	metric: <b>&"bold"</b> [<i>] = 2 * A
	tells: <img src=x onerror=a()>
	misleads: </body>&amp;
END
on skl-4c8t -g BAD -o f true '</title><script>a()</script>' "'\"&"; is 'bad names' 0 $?
is 'no foreign tags' '' "$(grep -oiE '<(script|b|i|img|/title><)[ >]' f.html | paste -sd' ')"
has 'one title' 1 '</title>' f.html; has 'one body' 1 '</body>' f.html
has 'an entity as it was written' 1 '&lt;/body&gt;&amp;amp;' f.html
has 'in the drawing, too' 2 '>&lt;b&gt;&amp;&quot;bold&quot;&lt;/b&gt; ' f.html
has 'no script runs and nothing is fetched' 1 "default-src 'none'" f.html
is 'no address' 0 "$(grep -c 'https\?:' f.html)"
mkdir bin
cat >bin/lstopo-no-graphics <<-'END'
	#!/bin/sh
	echo "<svg width='9px' height='9px' viewBox='0 0 9px 9px'><rect onload='a()'/><script>a()</script></svg>"
END
chmod +x bin/lstopo-no-graphics
PATH=$scratch/bin:$PATH on skl-4c8t -g MEM -o f true; is 'a drawing with a script: status' 0 $?
says 'a drawing with a script' 'the page has no drawing of the machine: the drawing holds what is no drawing'
has 'and none is on the page' 0 '<rect' f.html
has 'which says so' 1 'No drawing of the machine' f.html
# Attributes, whose names HTML takes in either case: those of a drawing stay.
while read -r stays attribute; do
	printf '%s\n' "#!/bin/sh" "cat <<'SVG'" \
		"<svg width='9px' height='9px' viewBox='0 0 9px 9px'><rect x='1' $attribute='a()'/></svg>" SVG \
		>bin/lstopo-no-graphics
	PATH=$scratch/bin:$PATH on skl-4c8t -g MEM -o f true
	[ "$stays" = stays ] && wanted="<rect x='1' $attribute='a()'/>" || wanted="<rect x='1'/>"
	has "the attribute $attribute $stays" 2 "$wanted" f.html
done <<-END
	goes onload
	goes ONLOAD
	goes OnLoad
	goes id
	goes ID
	goes style
	goes href
	goes xlink:href
	goes xmlns
	goes Fill
	stays fill
	stays stroke-width
END
printf '#!/bin/sh\nexit 3\n' >bin/lstopo-no-graphics
PATH=$scratch/bin:$PATH on skl-4c8t -g MEM -o f true; is 'no drawing: status' 0 $?
says 'no drawing' 'the page has no drawing of the machine: pmutopo failed'
sed -i 's/<wbr>//g' f.html
has 'no drawing: the tables' 1 'skl_unc_imc.DRAM_DATA_READS</code></td><td class="n">0<' f.html
# Nothing of a page is in a folder, where a kill would leave it.
TMPDIR=$scratch/none on skl-4c8t -g MEM --interval 1000 -o f true
is 'no folder for drawings: status' 0 $?
has 'no folder for drawings' 0 'No drawing of the machine' f.html
sed -i 's,<wbr>,,g' f.html
has 'no folder for drawings: the table' 1 'skl_unc_imc.DRAM_DATA_READS</code></td>' f.html
is 'nothing is left behind' '' "$(ls tmp)"

# -- whole or not there
echo old | tee f.csv f.json f.html >/dev/null
mkdir full
if unshare -m mount -t tmpfs -o size=16k tmpfs full 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs -o size=16k tmpfs full && cd full && echo old >f.html &&
		"$@" >../out 2>../err; echo $? >../status; ls >../list; cat f.html >../page' sh \
		"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g MEM -o f true
	is 'a full disk: status' 125 "$(cat status)"
	says 'a full disk' '^ipmu-run: cannot write f.html: No space left on device$'
	is 'a full disk: the old page stays' old "$(cat page)"
	is 'a full disk: no half file' 'f.csv f.html f.json' "$(paste -sd' ' list)"
fi
# Journals are below the limit, the page is not; what was there is.
through_pipe() {	# through_pipe MACHINE COMMAND...: what it says is in no file then
	"$vpmu" run --no-feed -m "$1" -- "${@:2}" 2>&1 >/dev/null | cat >err
	return "${PIPESTATUS[0]}"
}
limited() {	# limited BLOCKS OPTION...: of 1,024 bytes
	through_pipe skl-8c16t bash -c "ulimit -f $1; exec ipmu-run ${*:2} -o limited true"
}
echo old >limited.html
limited 48 --per-box --passes -g MEM,LLC_READ,LLC_STATES,LLC; is 'a limit of files: status' 125 $?
says 'a limit of files' '^ipmu-run: cannot write limited.html: File too large$'
is 'a limit of files: the old page stays' old "$(cat limited.html)"
limited 0 -g MEM; is 'files of no bytes: status' 125 $?
says 'files of no bytes' 'package-0.skl_unc cannot be written: File too large'
through_pipe skl-4c8t ipmu-run -g MEM sh -c 'ulimit -f 0; echo word >word'
is 'the program still ends by SIGXFSZ' 153 $?
mkdir ro dir.html
on skl-4c8t -g MEM -o none/f echo ran; is 'no such folder' 125 $?
is 'no such folder: the program did not run' '' "$(cat out)"
on skl-4c8t -g MEM -o dir echo ran; is 'a folder of that name' 125 $?
says 'a folder of that name' 'cannot write dir.html: Is a directory'
is 'a folder of that name: the program did not run' '' "$(cat out)"
is 'nor is there a file' dir.html "$(echo dir.*)"
if unshare -m mount --bind ro ro 2>/dev/null; then
	unshare -m sh -c 'mount --bind ro ro && mount -o remount,ro,bind ro && "$@" 2>err' sh \
		"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g MEM -o ro/f true
	is 'read-only' 125 $?
	says 'read-only' '^ipmu-run: -o: cannot write ro/f.csv: Read-only file system$'
fi
finish
