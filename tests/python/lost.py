# SPDX-License-Identifier: MIT
# Counts, while somebody else sets a counter back.
import errno, os, ipmu
lost, good = "skl.INST_RETIRED:ANY_P:cpu=0", "skl_unc_clk.UNC_CLOCK:SOCKET"
counter = ipmu.Counter(lost, good)
counter.start()
print(counter.read()[lost] > 0)
msr = os.open("/dev/cpu/0/msr", os.O_RDWR)
for pmc in range(0xC1, 0xC5):
    os.pwrite(msr, bytes(8), pmc)
try:
    counter.read()
except ipmu.Error as error:
    print(errno.errorcode[error.errno], lost in str(error), list(counter.values) == [lost, good])
