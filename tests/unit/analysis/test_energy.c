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
 * CPU 0: at 1000 MHz and busy from 0 to 10 ms; at 500 MHz to 30 ms; idle in state 1 to 50 ms and in
 * state 0 to 60 ms.  CPU 1 is never told of.
 */
static struct analysis *analysis_of(const struct machine *machine)
{
	struct analysis_options options = { .filter = FILTER_NONE, .machine = machine };
	const struct event_header header = {
		.nr_cpus = 2, .sees = EVENT_BIT(SWITCH) | EVENT_BIT(FREQ) | EVENT_BIT(IDLE)
	};
	static const struct event_quality quality;
	struct analysis *analysis = analysis_new(&options);
	struct event_sink sink = analysis_sink(analysis);
	struct event events[] = {
		event_of(EVENT_FREQ, 0, 0),         event_of(EVENT_SWITCH, 0, 0),
		event_of(EVENT_FREQ, 10 * MS, 0),   event_of(EVENT_SWITCH, 30 * MS, 0),
		event_of(EVENT_IDLE, 30 * MS, 0),   event_of(EVENT_IDLE, 50 * MS, 0),
		event_of(EVENT_SWITCH, 60 * MS, 0),
	};

	events[0].freq.khz = 1000000;
	events[1].other = (struct event_task){ 7, 0 };
	events[2].freq.khz = 500000;
	events[3].task = (struct event_task){ 7, 0 };
	events[4].idle.state = 1;
	events[5].idle.state = 0;
	events[6].other = (struct event_task){ 7, 0 };
	CHECK_EQ(OK, sink.on_begin(sink.self, &header));
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		events[i].seq = i + 1;
		CHECK_EQ(OK, sink.on_event(sink.self, &events[i]));
	}
	CHECK_EQ(OK, sink.on_end(sink.self, &quality));
	CHECK(analysis_available(analysis, ANALYSIS_ENERGY));
	return analysis;
}

static void two_points(struct machine *machine, enum machine_idle idle)
{
	machine_flat(machine, 2);
	machine->idle = idle;
	machine->kinds[0].nr_opps = 2;
	machine->kinds[0].opps[0] = (struct machine_opp){ 500000, 512, 200 };
	machine->kinds[0].opps[1] = (struct machine_opp){ 1000000, 1024, 600 };
}

static void add_state(struct machine *machine, struct machine_idle_state state)
{
	machine->kinds[0].idle_states[machine->kinds[0].nr_idle_states++] = state;
}

/* 600 mW for 10 ms and 200 for 20: 6 and 4 mJ; 5 mW for 20 ms and 20 for 10: 0.1 and 0.2 mJ. */
TEST(power_times_time_is_energy)
{
	struct machine machine;
	struct analysis *analysis;

	two_points(&machine, MACHINE_IDLE_MENU);
	add_state(&machine, (struct machine_idle_state){ "wfi", 1, 1, 20, true });
	add_state(&machine, (struct machine_idle_state){ "off", 100, 500, 5, true });
	analysis = analysis_of(&machine);
	CHECK_EQ(10000000000ULL, analysis->energy.rows[0].busy.pj);
	CHECK_EQ(300000000ULL, analysis->energy.rows[0].idle.pj);
	CHECK_EQ(0, analysis->energy.rows[0].idle.unknown_ns);
	CHECK_EQ(0, analysis->energy.rows[1].busy.pj);
	CHECK(energy_complete(&analysis->energy));
	analysis_free(analysis);
	machine_fini(&machine);
}

/* State 1 for 20 ms, state 0 for 10: which of them has a power depends on what is listed. */
TEST(a_state_without_a_power_is_unknown_and_not_nothing)
{
	static const struct machine_idle_state wait = { "wfi", 1, 1, 20, true },
					       off = { "off", 100, 500, 5, true },
					       none = { "none", 100, 500, 0, true },
					       silent = { "off", 100, 500 };
	static const struct {
		const char *when;
		enum machine_idle idle;
		const struct machine_idle_state *states[2];
		u64 idle_pj, unknown_ns;
		bool complete; /* of the states that may be entered */
	} rows[] = {
		{ "the deep one",
		  MACHINE_IDLE_MENU,
		  { &wait, &silent },
		  200000000,
		  20 * MS,
		  false },
		{ "it takes nothing", MACHINE_IDLE_MENU, { &wait, &none }, 200000000, 0, true },
		{ "the plain wait", MACHINE_IDLE_MENU, { &off, NULL }, 100000000, 10 * MS, false },
		{ "none is listed", MACHINE_IDLE_MENU, { NULL }, 0, 30 * MS, false },
		{ "of a number that is not listed",
		  MACHINE_IDLE_MENU,
		  { &wait, NULL },
		  200000000,
		  20 * MS,
		  true },
		{ "haltpoll's own", MACHINE_IDLE_HALTPOLL, { &wait, &off }, 0, 30 * MS, false },
		{ "nobody chooses",
		  MACHINE_IDLE_NO_DRIVER,
		  { &wait, &silent },
		  600000000,
		  0,
		  true },
		{ "nor is the wait listed",
		  MACHINE_IDLE_NO_DRIVER,
		  { &off, NULL },
		  0,
		  30 * MS,
		  false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct energy_part *idle;
		struct analysis *analysis;
		struct machine machine;

		two_points(&machine, rows[i].idle);
		for (u32 k = 0; k < 2 && rows[i].states[k]; k++)
			add_state(&machine, *rows[i].states[k]);
		analysis = analysis_of(&machine);
		idle = &analysis->energy.rows[0].idle;
		CHECK_EQ(rows[i].idle_pj, idle->pj, "%s", rows[i].when);
		CHECK_EQ(rows[i].unknown_ns, idle->unknown_ns, "%s", rows[i].when);
		CHECK_EQ(30 * MS - rows[i].unknown_ns, idle->known_ns, "%s", rows[i].when);
		CHECK(energy_busy_complete(&analysis->energy), "%s", rows[i].when);
		CHECK_EQ(rows[i].complete, energy_complete(&analysis->energy), "%s", rows[i].when);
		analysis_free(analysis);
		machine_fini(&machine);
	}
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
