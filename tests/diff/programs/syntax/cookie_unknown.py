# -*- coding: no-such-codec -*-
print(1)
