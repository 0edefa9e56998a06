/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vec - a growing array of any type.
 *
 *	VEC(struct event) seen = { 0 };
 *	*vec_add(&seen) = event;		(the new element is zeroed)
 *	vec_free(&seen);
 *
 * Elements move when it grows: keep indices, not pointers.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <string.h>

#include "base/mem.h"

#define VEC(type)                \
	struct {                 \
		type *at;        \
		size_t nr, room; \
	}

#define vec_reserve(v, want)                                                        \
	do {                                                                        \
		size_t want_ = (want);                                              \
		if (want_ > (v)->room) {                                            \
			(v)->room = want_ > 2 * (v)->room ? want_ : 2 * (v)->room;  \
			(v)->at = mem_resize((v)->at, (v)->room, sizeof(*(v)->at)); \
		}                                                                   \
	} while (0)

#define vec_add(v)                                                    \
	({                                                            \
		__typeof__(v) v_ = (v);                               \
		if (v_->nr == v_->room)                               \
			vec_reserve(v_, v_->room ? v_->room * 2 : 8); \
		memset(&v_->at[v_->nr], 0, sizeof(*v_->at));          \
		&v_->at[v_->nr++];                                    \
	})

#define vec_free(v)                      \
	do {                             \
		free((v)->at);           \
		(v)->at = NULL;          \
		(v)->nr = (v)->room = 0; \
	} while (0)

#define vec_for_each(item, v) \
	for (__typeof__(*(v)->at) *item = (v)->at; item && item < (v)->at + (v)->nr; item++)

#include <stdlib.h>

#endif
