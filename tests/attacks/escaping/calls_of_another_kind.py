"""Makes its system calls in machine code: the 32-bit way, whose numbers another filter would have to know."""
# says: signal 31

import ctypes
import mmap

page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("53 b8 66 00 00 00 bb 01 00 00 00 31 c9 cd 80 5b c3"))  # push rbx; eax = 102 (socketcall); int 0x80
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print("called:", call())
