"""Tries the parts of the kernel that had most of its holes."""
# says: the kernel takes up none of 30
# stopped by: seccomp

import ctypes

NAMES = """io_uring_setup io_uring_enter io_uring_register bpf keyctl add_key request_key perf_event_open userfaultfd
memfd_create memfd_secret process_vm_readv kcmp open_by_handle_at name_to_handle_at init_module finit_module kexec_load
swapon fanotify_init inotify_init1 quotactl vmsplice splice shmget msgget semget mq_open modify_ldt
pidfd_getfd""".split()
seccomp, libc = ctypes.CDLL("libseccomp.so.2"), ctypes.CDLL(None, use_errno=True)
not_permitted, no_such_call = 1, 38
taken = []
for name in NAMES:
    number = seccomp.seccomp_syscall_resolve_name(name.encode())
    bad = ctypes.c_long(-1)
    if number < 0:
        continue
    if libc.syscall(number, bad, 0, 0, bad, 0) >= 0 or ctypes.get_errno() not in (not_permitted, no_such_call):
        taken.append(name)
if taken:
    print("REACHED", taken)
print("the kernel takes up", len(taken) or "none", "of", len(NAMES))
