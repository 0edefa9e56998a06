/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apart - what seldom happens has a function of its own that is not put inline, so that what
 * happens for each event needs no registers for it.
 */
#ifndef BASE_APART_H
#define BASE_APART_H

#define APART __attribute__((noinline))

#endif
