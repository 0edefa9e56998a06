/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts of devices:
 * "interrupts": { "disk": { "cpu": 2, "period": 1000, "duration": 25.5 } }, in us or drawn.
 */
#include "input/rtapp.h"

#define MAX_INTERRUPTS 4096

static const struct json_key keys[] = {
	{ "cpu", NULL },
	{ "period", NULL },
	{ "duration", NULL },
};

/* A number with up to three decimals, or a distribution. */
static enum err_code read_time(struct rtapp *r, const cJSON *object, const char *key,
			       struct workload_amount *out, struct err *err)
{
	const cJSON *item = json_get(object, key);

	if (!item)
		return json_fault(r->json, object, err, "\"%.64s\": expected \"%s\" in it",
				  object->string, key);
	if (!cJSON_IsNumber(item))
		return rtapp_distribution(r, item, out, err);
	*out = (struct workload_amount){ .shape = WORKLOAD_CONST };
	return json_milli(r->json, item, RTAPP_MAX_INT, &out->a, err);
}

static enum err_code read_interrupt(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;
	struct workload_interrupt interrupt = { 0 };
	enum err_code code =
		json_each(r->json, item, "an interrupt", keys, ARRAY_SIZE(keys), NULL, r, err);

	if (code)
		return code;
	if (r->workload->interrupts.nr == MAX_INTERRUPTS)
		return json_fault(r->json, item, err, "expected at most %d interrupts",
				  MAX_INTERRUPTS);
	if (!json_get(item, "cpu"))
		return json_fault(r->json, item, err, "\"%.64s\": expected \"cpu\" in it",
				  item->string);
	if ((code = json_u32(r->json, json_get(item, "cpu"), 0, RTAPP_MAX_INT, &interrupt.cpu,
			     err)) ||
	    (code = read_time(r, item, "period", &interrupt.period, err)) ||
	    (code = read_time(r, item, "duration", &interrupt.duration, err)))
		return code;
	if (interrupt.period.shape == WORKLOAD_CONST && interrupt.period.a < 1000)
		return json_fault(r->json, json_get(item, "period"), err,
				  "\"period\": expected 1 us and more");
	interrupt.name = mem_strdup(item->string);
	*vec_add(&r->workload->interrupts) = interrupt;
	return OK;
}

enum err_code rtapp_interrupts(void *self, const cJSON *item, struct err *err)
{
	struct rtapp *r = self;

	return json_each(r->json, item, "\"interrupts\"", NULL, 0, read_interrupt, r, err);
}
