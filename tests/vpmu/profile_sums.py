# SPDX-License-Identifier: MIT
# profile_sums.py OUT.json MACHINE PROFILE...: compares counts of a machine with sums over profiles.
import json, subprocess, sys
out, machine, profiles = sys.argv[1], sys.argv[2], sys.argv[3:]
counts = {}
for group in json.load(open(out))['groups']:
    for event in group['events']:
        counts[event['name']] = event['value']
sums = {}
for profile in profiles:
    names = {}
    for line in open(profile):
        word = line.split()
        if word[0] == 'kind':
            names[word[1]] = word[2]
        elif word[0] == 'cell':
            sums[names[word[2]]] = sums.get(names[word[2]], 0) + int(word[3])
        elif word[0] == 'lost':
            print('lost:', line)
weights = subprocess.run(['./raise.sh', machine] + list(counts),
                         input='\n'.join(sums), text=True, capture_output=True)
if weights.stderr:
    print(weights.stderr)
total = dict.fromkeys(counts, 0)
for line in weights.stdout.splitlines():
    event, kind, weight = line.split()
    total[event] += float(weight) * sums[kind]
for event in counts:
    # Clocks of the uncore are caused by no instruction, and clocks of entries that have not ended
    # are in no counter.
    if 'CLOCK:' in event or 'CYCLES' in event:
        total[event] = counts[event]
    late = total[event] - counts[event]
    if 'OCCUPANCY' in event and 0 <= late < 64 * 200:
        total[event] = counts[event]
    print('ok' if total[event] == counts[event] and max(counts.values()) > 1000 else 'WRONG', event, counts[event], total[event])
