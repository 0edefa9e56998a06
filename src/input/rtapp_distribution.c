/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions: "run": { "fairground": { "lognormal": { "median_us": 800, "sigma": 0.5 } } }.
 *
 * Times are us with up to three decimals, so that ns are exact.
 */
#include "input/rtapp.h"

#include <string.h>

#define MAX_US      2147483647 /* as rt-app's own times */
#define MAX_CHOICES 1024       /* a draw looks at each */

struct parameter {
	const char *key;
	u64 max;
};

/* Two parameters at most; both are stored in thousandths: ns, and sigma as the model has it. */
static const struct {
	const char *name;
	enum workload_shape shape;
	struct parameter a, b;
} shapes[] = {
	{ "constant", WORKLOAD_CONST, { "value_us", MAX_US }, { NULL, 0 } },
	{ "uniform", WORKLOAD_UNIFORM, { "low_us", MAX_US }, { "high_us", MAX_US } },
	{ "normal", WORKLOAD_NORMAL, { "mean_us", MAX_US }, { "deviation_us", MAX_US } },
	{ "exponential", WORKLOAD_EXPONENTIAL, { "mean_us", MAX_US }, { NULL, 0 } },
	{ "lognormal", WORKLOAD_LOGNORMAL, { "median_us", MAX_US }, { "sigma", 3 } },
};

static enum err_code read_parameter(struct rtapp *r, const cJSON *object,
				    const struct parameter *parameter, u64 *out, struct err *err)
{
	const cJSON *item;

	if (!parameter->key)
		return OK;
	item = json_get(object, parameter->key);
	if (!item)
		return json_fault(r->json, object, err, "\"%s\": expected \"%s\" in it",
				  object->string, parameter->key);
	return json_milli(r->json, item, parameter->max, out, err);
}

static enum err_code read_shape(struct rtapp *r, const cJSON *item, size_t row,
				struct workload_amount *out, struct err *err)
{
	const struct json_key keys[] = { { shapes[row].a.key, NULL }, { shapes[row].b.key, NULL } };
	enum err_code code = json_each(r->json, item, shapes[row].name, keys,
				       shapes[row].b.key ? 2 : 1, NULL, r, err);

	*out = (struct workload_amount){ .shape = shapes[row].shape };
	if (code || (code = read_parameter(r, item, &shapes[row].a, &out->a, err)) ||
	    (code = read_parameter(r, item, &shapes[row].b, &out->b, err)))
		return code;
	if (out->shape == WORKLOAD_UNIFORM && out->a > out->b)
		return json_fault(r->json, item, err, "\"uniform\": expected low_us <= high_us");
	return OK;
}

static enum err_code read_one_choice(struct rtapp *r, const cJSON *item, struct err *err)
{
	static const struct json_key keys[] = { { "value_us", NULL }, { "weight", NULL } };
	struct workload_choice choice = { 0, 1 };
	const cJSON *value, *weight;
	u32 number = 1;
	enum err_code code =
		json_each(r->json, item, "a choice", keys, ARRAY_SIZE(keys), NULL, r, err);

	if (code)
		return code;
	value = json_get(item, "value_us");
	weight = json_get(item, "weight");
	if (!value)
		return json_fault(r->json, item, err, "expected \"value_us\" in a choice");
	if ((code = json_milli(r->json, value, MAX_US, &choice.value, err)) ||
	    (weight && (code = json_u32(r->json, weight, 1, 1000000, &number, err))))
		return code;
	choice.weight = number;
	*vec_add(&r->workload->choices) = choice;
	return OK;
}

static enum err_code read_choice(struct rtapp *r, const cJSON *item, struct workload_amount *out,
				 struct err *err)
{
	enum err_code code = json_array(r->json, item, err);

	*out = (struct workload_amount){ .shape = WORKLOAD_CHOICE,
					 .first_choice = (u32)r->workload->choices.nr };
	for (const cJSON *choice = item->child; choice && !code; choice = choice->next)
		code = read_one_choice(r, choice, err);
	out->nr_choices = (u32)r->workload->choices.nr - out->first_choice;
	if (!code && (!out->nr_choices || out->nr_choices > MAX_CHOICES))
		code = json_fault(r->json, item, err, "\"choice\": expected 1 to %d values",
				  MAX_CHOICES);
	return code;
}

static enum err_code read_named(struct rtapp *r, const cJSON *item, struct workload_amount *out,
				struct err *err)
{
	if (!strcmp(item->string, "choice"))
		return read_choice(r, item, out, err);
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (!strcmp(item->string, shapes[i].name))
			return read_shape(r, item, i, out, err);
	return json_fault(r->json, item, err,
			  "unknown distribution \"%.32s\"; expected constant, uniform, normal, "
			  "exponential, lognormal or choice",
			  item->string);
}

enum err_code rtapp_distribution(struct rtapp *r, const cJSON *item, struct workload_amount *out,
				 struct err *err)
{
	const cJSON *extension = json_get(item, RTAPP_EXTENSION);
	enum err_code code;

	if (!extension)
		return json_fault(r->json, item, err,
				  "\"%.32s\": expected a number, or { \"" RTAPP_EXTENSION
				  "\": { a distribution } }",
				  item->string);
	if ((code = json_object(r->json, extension, err)))
		return code;
	if (!extension->child || extension->child->next)
		return json_fault(r->json, extension, err,
				  "\"" RTAPP_EXTENSION "\" of an event: expected one distribution");
	return read_named(r, extension->child, out, err);
}
