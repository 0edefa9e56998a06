/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/report.h"

const char *report_class(u8 class)
{
	switch (class) {
	case 0:
		return NULL;
	case TRACK_CLASS_FAIR:
		return "fair";
	case TRACK_CLASS_RT:
		return "rt";
	case TRACK_CLASS_DEADLINE:
		return "deadline";
	default:
		return "mixed";
	}
}

u64 report_mismatches(const struct analysis *analysis)
{
	u64 ours = analysis->threads->stats.mismatches;

	return ours > analysis->quality.mismatches ? ours : analysis->quality.mismatches;
}

u64 report_unreliable(const struct analysis *analysis)
{
	u64 sum = 0;

	for (u32 i = 0; i < TRACK_NR_DOUBTS; i++)
		sum += analysis->threads->stats.unreliable[i];
	return sum;
}
