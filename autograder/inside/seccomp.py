"""A seccomp filter: this process may use, for good, only the system calls that numerical Python needs.

The filter is made by libseccomp, which knows every processor's call numbers. What is not listed answers "no such
call"; what programs try often and must not get answers "not permitted", which reads better.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
from collections.abc import Iterable

_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EQUAL, _MASKED_EQUAL = 4, 7
_NO_SUCH_CALL = -1  # libseccomp's answer for a name that this processor does not have

_FILES = """read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 open openat openat2 close
close_range creat stat lstat fstat newfstatat statx access faccessat faccessat2 lseek getdents getdents64 getcwd chdir
fchdir mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat readlink readlinkat
ftruncate fallocate fsync fdatasync fadvise64 readahead sendfile copy_file_range flock umask dup dup2 dup3 pipe pipe2
statfs fstatfs"""
_MEMORY = "mmap munmap mprotect mremap madvise mincore msync brk membarrier"
_SIGNALS = """rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigsuspend rt_sigtimedwait sigaltstack
restart_syscall signalfd4 pause"""
_THREADS = """futex futex_waitv set_robust_list set_tid_address rseq arch_prctl sched_yield sched_getaffinity
sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min getcpu exit exit_group wait4 waitid"""
_TIME = """nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times getitimer setitimer alarm
timer_create timer_settime timer_gettime timer_getoverrun timer_delete timerfd_create timerfd_settime timerfd_gettime"""
_WAITING = """poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
eventfd eventfd2"""
_CHANNEL = """recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg shutdown getsockopt setsockopt getsockname
getpeername"""
_ABOUT = """getpid gettid getppid getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp getpgid getsid
uname sysinfo getrusage getrlimit getrandom capget getpriority"""
_ALLOWED = " ".join([_FILES, _MEMORY, _SIGNALS, _THREADS, _TIME, _WAITING, _CHANNEL, _ABOUT]).split()

_REFUSED = """socket connect bind listen accept accept4 execve execveat fork vfork ptrace mount umount2 unshare setns
bpf keyctl add_key request_key perf_event_open userfaultfd process_vm_readv process_vm_writev pidfd_open pidfd_getfd
pidfd_send_signal io_uring_setup io_uring_enter io_uring_register setuid setgid setreuid setregid setresuid setresgid
setgroups capset chroot pivot_root chown fchown lchown fchownat setrlimit personality setpriority tkill mbind
set_mempolicy mknod mknodat""".split()
# Programs change modes and times of their own files and cannot go on when refused: they get "done", and nothing is.
_PRETENDED = "chmod fchmod fchmodat fchmodat2 utime utimes utimensat futimesat".split()

_CLONE_THREAD = 0x00010000
_UNIX_SOCKETS = 1
_SOCKET_TYPE = 0xF
_OWN_PRCTL = (3, 15, 16, 23, 39, 0x53564D41)  # dumpable?, names, capabilities?, no new privileges?, name of a mapping
_TERMINAL_QUESTIONS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_DUPLICATE_AND_LOCK = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032, 1034)  # fcntl without what sends signals


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


class Filter:
    """A filter that is made before the fork and put in force after it. Errors: OSError without libseccomp."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(_ERRNO | errno.ENOSYS))
        for action, names in ((_ALLOW, _ALLOWED), (_ERRNO | errno.EPERM, _REFUSED), (_ERRNO, _PRETENDED)):
            for name in names:
                self._rule(action, name)
        # The flags of clone3 lie in memory, where a filter cannot look: without it the C library falls back to clone.
        self._rule(_ALLOW, "clone", (0, _MASKED_EQUAL, _CLONE_THREAD, _CLONE_THREAD))
        self._rule(_ERRNO | errno.EPERM, "clone", (0, _MASKED_EQUAL, _CLONE_THREAD, 0))
        # A pair of streams speaks to itself alone; datagrams could be sent to any address.
        self._rule(
            _ALLOW, "socketpair", (0, _EQUAL, _UNIX_SOCKETS, 0), (1, _MASKED_EQUAL, _SOCKET_TYPE, socket.SOCK_STREAM)
        )
        self._allow_values("prctl", 0, _OWN_PRCTL)
        self._allow_values("ioctl", 1, _TERMINAL_QUESTIONS)
        self._allow_values("fcntl", 1, _DUPLICATE_AND_LOCK)

    def restrict(self) -> None:
        """Put the filter in force for this process. Errors: OSError."""
        for name in ("kill", "tgkill", "prlimit64", "sched_setaffinity"):
            self._allow_values(name, 0, [os.getpid()])
        self._allow_values("prlimit64", 0, [0])
        self._allow_values("sched_setaffinity", 0, [0])
        self._check("seccomp_load", self._library.seccomp_load(self._context))

    def _allow_values(self, name: str, argument: int, values: Iterable[int]) -> None:
        for value in values:
            self._rule(_ALLOW, name, (argument, _EQUAL, value, 0))

    def _rule(self, action: int, name: str, *comparisons: tuple[int, int, int, int]) -> None:
        number = self._library.seccomp_syscall_resolve_name(name.encode())
        if number == _NO_SUCH_CALL:
            return
        array = (_Comparison * len(comparisons))(*(_Comparison(*one) for one in comparisons))
        arguments = (self._context, ctypes.c_uint32(action), number, len(comparisons), array)
        self._check(name, self._library.seccomp_rule_add_array(*arguments))

    def _check(self, what: str, result: int) -> None:
        if result < 0:
            raise OSError(-result, f"{what}: {os.strerror(-result)}")
