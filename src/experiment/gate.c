/* SPDX-License-Identifier: GPL-2.0-only */
#include "experiment/gate.h"

#include <math.h>
#include <stdlib.h>

#define BLANKS " \t\n"

static const char *const ops[GATE_NR_OPS] = {
	[GATE_LESS] = "<",
	[GATE_LESS_EQUAL] = "<=",
	[GATE_MORE] = ">",
	[GATE_MORE_EQUAL] = ">=",
};

static bool op_of(const char *text, size_t len, enum gate_op *op)
{
	for (u32 i = 0; i < GATE_NR_OPS; i++) {
		if (strlen(ops[i]) == len && !memcmp(ops[i], text, len)) {
			*op = i;
			return true;
		}
	}
	return false;
}

/* A number without sign, then nothing or an x. */
static bool limit_of(const char *text, struct gate *gate)
{
	size_t digits = strspn(text, "0123456789."), points = 0;
	const char *rest = text + digits;

	for (size_t i = 0; i < digits; i++)
		points += text[i] == '.';
	if (!digits || points == digits || points > 1)
		return false;
	gate->limit = strtod(text, NULL);
	gate->ratio = *rest == 'x';
	rest += gate->ratio;
	return !rest[strspn(rest, BLANKS)];
}

/* @text becomes the gate's. */
static bool parse_one(struct gate *gate, char *text)
{
	size_t name_len, op_len;
	const char *at;

	gate->text = text;
	name_len = strcspn(text, "<>");
	at = text + name_len;
	op_len = strspn(at, "<>=");
	while (name_len && strchr(BLANKS, text[name_len - 1]))
		name_len--;
	gate->name = mem_strndup(text, name_len);
	if (!name_len || !op_of(at, op_len, &gate->op))
		return false;
	at += op_len;
	return limit_of(at + strspn(at, BLANKS), gate);
}

enum err_code gates_parse(struct gates *gates, const char *text, struct err *err)
{
	for (bool more = true; more;) {
		size_t len = strcspn(text, ",");
		size_t blank = strspn(text, BLANKS);
		struct gate *gate = vec_add(&gates->of);

		if (blank > len)
			blank = len;
		if (!parse_one(gate, mem_strndup(text + blank, len - blank)))
			return err_set(err, ERR_USAGE, NULL,
				       "--fail-if: '%.100s' is no condition: expected as in "
				       "'cyclictest.delay_p99_ms > 1.05x' or 'idle_events >= 3'",
				       gate->text);
		more = text[len] == ',';
		text += len + more;
	}
	return OK;
}

static bool holds(enum gate_op op, double value, double limit)
{
	switch (op) {
	case GATE_LESS:
		return value < limit;
	case GATE_LESS_EQUAL:
		return value <= limit;
	case GATE_MORE:
		return value > limit;
	case GATE_MORE_EQUAL:
		return value >= limit;
	case GATE_NR_OPS:
		break;
	}
	assert(0 && "a gate without an operator");
	return false;
}

static double ratio_of(double a, double b)
{
	if (a == 0)
		return b == 0 ? 1 : HUGE_VAL;
	return b / a;
}

enum err_code gates_judge(struct gates *gates, const struct compare *compare, struct err *err)
{
	gates->failed = 0;
	vec_for_each(gate, &gates->of) {
		const struct compare_row *row =
			compare_find(compare, gate->name, strlen(gate->name));

		if (!row || !row->of[COMPARE_B].nr || (gate->ratio && !row->of[COMPARE_A].nr))
			return err_set(err, ERR_USAGE, NULL,
				       "--fail-if: '%.100s' is no metric of this comparison",
				       gate->name);
		gate->value = gate->ratio ? ratio_of(row->effect.a, row->effect.b)
					  : metric_shown(row->metric, row->effect.b);
		gate->failed = holds(gate->op, gate->value, gate->limit);
		gates->failed += gate->failed;
	}
	return OK;
}

void gates_fini(struct gates *gates)
{
	vec_for_each(gate, &gates->of) {
		free(gate->text);
		free(gate->name);
	}
	vec_free(&gates->of);
}
