#!/bin/bash
# SPDX-License-Identifier: MIT
# The pages of ipmu-run -o as a browser shows them, from 360 to 1600 pixels, light and dark: all
# there, nothing cut off or squeezed, text large enough and of good contrast. Headless Chromium.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"
needs ipmu-run lstopo-no-graphics chromium
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$scratch" || exit 1
cp "$root/tests/support/look.html" .

look() {	# look OPTION...: what look.html says of the pages
	timeout $HANG_SECONDS chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--allow-file-access-from-files --hide-scrollbars --window-size=1700,1000 "$@" \
		--user-data-dir="$scratch/browser" --virtual-time-budget=10000 \
		--dump-dom "file://$scratch/look.html?pages=$(echo *.page.html | tr ' ' ',')" 2>err |
		sed -n '/<pre/,/<\/pre/p' | sed 's/<[^>]*>//g' | grep .
}

if command -v qemu-x86_64 >/dev/null; then on=--on; else on=; fi
counted() {	# counted MACHINE NAME ARGUMENT...
	if [ -n "$on" ]; then
		ipmu-run --on "$1" "${@:3}" -o "$2.page" true 2>err
	else
		"$vpmu" run --no-feed -m "$1" -- ipmu-run "${@:3}" -o "$2.page" true 2>err
	fi
	is "$2" 0 $?
}
counted skl-4c8t skl -g MEM,LLC_READ --per-box -r 2 --interval 4
counted skl-4c8t old -g LLC_READ --per-box
sed 's/"value":[0-9]*/"value":12345678/' old.page.json >older.json
rm old.page.*
if [ -n "$on" ]; then
	ipmu-run --on skl-4c8t -g LLC_READ --compare older.json --limit 1% -o compared.page true >text 2>err
else
	"$vpmu" run --no-feed -m skl-4c8t -- ipmu-run -g LLC_READ --compare older.json --limit 1% \
		-o compared.page true >text 2>err
fi
is 'a failed comparison' 122 $?
roofs=0
if [ -n "$on" ]; then
	ipmu-run --on skl-8c16t -g ROOFLINE,LLC_READ --per-box --roof 64,14.2 --profile -o roof.page \
		awk 'BEGIN { for (i = 0; i < 9999; i++) s += i / 3 }' 2>err
	is 'a page with a roofline' 0 $?
	roofs=8
fi
"$vpmu" run --no-feed -m nhmex-2p16c32t -- ipmu-run -g MEM,PAGES --passes -o nhmex.page true 2>err
"$vpmu" run --no-feed -m p4-2p4t -- ipmu-run -g BRANCH --per-cpu -r 2 -o p4.page \
	echo a-word-without-any-blank-in-it-that-is-longer-than-any-telephone-is-wide >out 2>err
"$vpmu" run --no-feed -m knc-16c64t -- ipmu-run -g CPI --per-cpu -o knc.page true 2>err

pages=(./*.page.html)
plots=7
command -v gnuplot >/dev/null || plots=1
for theme in light dark; do
	look $([ $theme = light ] || echo --force-dark-mode) >out
	is "$theme: pages and widths" $((8 * ${#pages[@]})) "$(grep -cE '^[a-z0-9]+\.page\.html [0-9]+: ' out)"
	is "$theme: complaints" '' "$(grep ';' out)"
	is "$theme: all are" $((8 * ${#pages[@]})) "$(grep -c " 0 strangers, $theme, contrast good" out)"
	# The machine, and of six metrics what they were over time.
	is "$theme: one of each drawing at a time" "32 8" \
		"$(grep -Ev '^(skl|roof)' out | grep -c ', 1 drawings,') $(grep -c "^skl.*, $plots drawings," out)"
	is "$theme: a roofline and the machine" $roofs "$(grep -c '^roof.*, 2 drawings,' out)"
	is "$theme: tables" "compared 3 knc 2 nhmex 4 p4 2 $([ $roofs = 0 ] || echo "roof 8 ")skl 4" "$(sed -nE \
		's/^([a-z0-9]+)\.page.* 360: .* ([0-9]+) tables.*/\1 \2/p' out | paste -sd' ')"
done
finish
