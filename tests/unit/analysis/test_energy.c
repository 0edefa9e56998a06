/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis/analysis.h"
#include "stream.h"
#include "test.h"

#define MS 1000000ULL

static struct event event_of(u32 kind, u64 time_ns, s32 cpu)
{
	return (struct event){ .kind = (u16)kind, .time_ns = time_ns, .cpu = cpu };
}

/*
 * CPU 0: at 1000 MHz and busy from 0 to 10 ms, 600 mW: 6 mJ; at 500 MHz to 30 ms, 200 mW: 4 mJ;
 * idle in state 1, the deeper of two whose first one is the plain wait, to 50 ms, 5 mW: 0.1 mJ.
 * CPU 1 is never told of.
 */
TEST(power_times_time_is_energy)
{
	struct machine machine;
	struct analysis_options options = { .filter = FILTER_NONE, .machine = &machine };
	const struct event_header header = {
		.nr_cpus = 2, .sees = EVENT_BIT(SWITCH) | EVENT_BIT(FREQ) | EVENT_BIT(IDLE)
	};
	static const struct event_quality quality;
	struct event events[6];
	struct analysis *analysis;
	struct event_sink sink;

	machine_flat(&machine, 2);
	machine.kinds[0].nr_opps = 2;
	machine.kinds[0].opps[0] = (struct machine_opp){ 500000, 512, 200 };
	machine.kinds[0].opps[1] = (struct machine_opp){ 1000000, 1024, 600 };
	machine.kinds[0].nr_idle_states = 2;
	machine.kinds[0].idle_states[0] = (struct machine_idle_state){ "wfi", 1, 1, 20 };
	machine.kinds[0].idle_states[1] = (struct machine_idle_state){ "off", 100, 500, 5 };
	analysis = analysis_new(&options);
	sink = analysis_sink(analysis);

	events[0] = event_of(EVENT_FREQ, 0, 0);
	events[0].freq.khz = 1000000;
	events[1] = event_of(EVENT_SWITCH, 0, 0);
	events[1].other = (struct event_task){ 7, 0 };
	events[2] = event_of(EVENT_FREQ, 10 * MS, 0);
	events[2].freq.khz = 500000;
	events[3] = event_of(EVENT_SWITCH, 30 * MS, 0);
	events[3].task = (struct event_task){ 7, 0 };
	events[4] = event_of(EVENT_IDLE, 30 * MS, 0);
	events[4].idle.state = 1;
	events[5] = event_of(EVENT_IDLE, 50 * MS, 0);
	events[5].idle.state = EVENT_IDLE_EXIT;
	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		events[i].seq = i + 1;
		CHECK_EQ(OK, sink.on_event(sink.self, &events[i]));
	}
	CHECK_EQ(OK, sink.on_end(sink.self, &quality));
	CHECK(analysis_available(analysis, ANALYSIS_ENERGY));
	CHECK_EQ(10000000000ULL, analysis->energy.rows[0].busy_pj);
	CHECK_EQ(100000000ULL, analysis->energy.rows[0].idle_pj);
	CHECK_EQ(0, analysis->energy.rows[1].busy_pj);
	analysis_free(analysis);
	machine_fini(&machine);
}

/* No powers, no energy: that is not none. */
TEST(a_machine_without_powers_has_no_energy_to_tell)
{
	struct machine machine;
	const struct analysis_options options = { .filter = FILTER_NONE, .machine = &machine };
	struct analysis *analysis;

	machine_flat(&machine, 2);
	analysis = analysis_new(&options);
	CHECK(!energy_known(&analysis->energy));
	analysis_free(analysis);
	machine_fini(&machine);
}
