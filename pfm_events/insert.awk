# SPDX-License-Identifier: MIT
#
# Print a file with the block of lines inserted; add-to-libpfm4's insert() says
# where. Patterns come by the environment, which leaves backslashes alone.
# Exit status: 0 inserted, 3 the block is there, 4 something with its key is,
# 5 no start, 6 no anchor, 7 several anchors, 8 no end.

function block_at(i,	j)
{
	for (j = 1; j <= nblock; j++)
		if (text[i + j - 1] != block[j])
			return 0
	return 1
}

function print_lines(from, to,	i)
{
	for (i = from; i <= to; i++)
		print text[i]
}

BEGIN {
	while ((getline line < ENVIRON["BLOCK"]) > 0)
		block[++nblock] = line
	if (!nblock) {
		status = 9
		exit status
	}
}

{ text[NR] = $0 }

END {
	if (status)
		exit status
	for (i = 1; i + nblock - 1 <= NR; i++)
		if (block_at(i))
			exit 3
	for (i = 1; i <= NR; i++)
		if (index(text[i], ENVIRON["KEY"]))
			exit 4

	for (start = 1; start <= NR && text[start] !~ ENVIRON["START"]; start++)
		;
	if (start > NR)
		exit 5
	for (end = start + 1; end <= NR; end++) {
		if (text[end] ~ ENVIRON["ANCHOR"]) {
			at = end
			anchors++
		}
		if (text[end] ~ ENVIRON["END"])
			break
	}
	if (end > NR)
		exit 8
	if (!anchors)
		exit 6
	if (anchors > 1)
		exit 7

	if (ENVIRON["WHERE"] == "before")
		at--
	print_lines(1, at)
	for (i = 1; i <= nblock; i++)
		print block[i]
	print_lines(at + 1, NR)
}
