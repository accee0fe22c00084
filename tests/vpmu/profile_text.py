# SPDX-License-Identifier: MIT
"""A profile as `vpmu profile` prints it."""
import subprocess

class Profile:
    def __init__(self, path):
        self.maps, self.notes, self.kinds, self.lost = {}, {}, {}, []
        self.cells, self.objects, self.blocks, self.object_cells = {}, {}, {}, {}
        self.arcs, self.lines, self.others = [], [], []
        for line in open(path):
            word = line.split()
            getattr(self, 'on_' + word[0].replace('-', '_'), lambda word: None)(word)

    def on_map(self, w): self.maps[w[1]] = (int(w[2], 16) - int(w[4], 16), w[6])
    def on_kind(self, w): self.kinds[w[1]] = w[2]
    def on_note(self, w): self.notes[w[1]] = (w[2], int(w[3], 16))
    def on_lost(self, w): self.lost.append(w)
    def on_cell(self, w):
        kind = self.kinds[w[2]]
        self.cells[kind] = self.cells.get(kind, 0) + int(w[3])
    def on_arc(self, w):
        counts = dict(x.split(':') for x in w[4:])
        self.arcs.append((w[1], int(w[2], 16), int(w[3]),
                          {self.kinds[k]: int(n) for k, n in counts.items()}))
    def on_object(self, w): self.objects[w[1]] = w[2:]
    def on_blocks(self, w): self.blocks[w[1]] = (int(w[2]), int(w[3]))
    def on_object_cell(self, w):
        self.object_cells.setdefault(w[1], {})[self.kinds[w[2]]] = int(w[3])
    def on_line(self, w):
        self.lines.append((w[1], w[2], int(w[3]), w[4], w[5], self.kinds[w[6]], int(w[7]),
                           w[8], int(w[9])))
    def on_line_other(self, w):
        self.others.append((w[1], w[2], int(w[3]), w[4], w[5], int(w[6]), w[7], int(w[8])))

    def symbols(self, program):
        """Functions of the program by their addresses."""
        out, base = {}, next(b for b, path in self.maps.values() if path.endswith('/' + program))
        head = subprocess.run(['readelf', '-h', program], capture_output=True, text=True).stdout
        for line in subprocess.run(['nm', program], capture_output=True, text=True).stdout.split('\n'):
            word = line.split()
            if len(word) == 3 and word[1] in 'tTwW':
                out[int(word[0], 16) + (0 if 'EXEC' in head else base)] = word[2]
        return out

    def inclusive(self, program):
        """Instructions of each function and those that it calls, and how often it was called."""
        out, names = {}, self.symbols(program)
        for _, target, calls, counts in self.arcs:
            name = names.get(target)
            if name:
                before = out.get(name, (0, 0))
                out[name] = (before[0] + counts.get('CORE.INSTRUCTIONS', 0), before[1] + calls)
        return out

    def of_objects(self):
        out = {}
        for counts in self.object_cells.values():
            for kind, n in counts.items():
                out[kind] = out.get(kind, 0) + n
        return {k: n for k, n in out.items() if n}

    def heap_of(self, program):
        """Blocks and bytes of objects that the program's own code has allocated, of all chains."""
        out = []
        for number, (sort, _, _, *notes) in self.objects.items():
            if sort == 'heap' and any(self.maps[self.notes[n][0]][1].endswith('/' + program)
                                      for n in notes if n in self.notes):
                out.append(self.blocks.get(number, (0, 0)))
        return out
