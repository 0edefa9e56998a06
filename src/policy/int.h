/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * int - the integer types of every rule.
 *
 * u64 is unsigned long long, as in vmlinux.h: the same files compile for BPF
 * beside it, where a second typedef of another type would clash.
 */
#ifndef POLICY_INT_H
#define POLICY_INT_H

#ifndef __VMLINUX_H__
typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;
#endif

#ifndef __bpf__
#include <stdbool.h>
#elif !defined(__VMLINUX_H__)
#define bool _Bool
#define true 1
#define false 0
#endif

#define U64_MAX (~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))

#endif
