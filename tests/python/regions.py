# SPDX-License-Identifier: MIT
# Marks regions in all ways, and two without a name.
import ipmu

@ipmu.region("decorated")
def again():
    pass

with ipmu.region("outer"):
    with ipmu.region("inner"):
        pass
    again()
    again()
try:
    with ipmu.region("fails"):
        raise KeyError
except KeyError:
    pass
for name in "", "a\0b":
    try:
        ipmu.region(name)
    except ValueError as error:
        print(error)
