/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * idle - what a CPU does that has nothing to do: its tick, its idle states, its way out.
 *
 * Kernel: do_idle(), kernel/sched/idle.c; tick_sched, kernel/time/tick-sched.c;
 * drivers/cpuidle; v6.12.
 */
#include "sim/idle.h"

#include <stdlib.h>

#include "policy/teo_recent.h"
#include "policy/teo_tick.h"
#include "sim/internal.h"

void sim_tick_start(struct sim_cpu *cpu)
{
	if (cpu->tick_running)
		return;
	cpu->tick_running = true;
	sim_timer_arm(cpu, SIM_TIMER_TICK, sim_tick_after(cpu->sim, cpu->sim->now_ns));
}

/*
 * All timers here are of high resolution, and these do not keep a tick: only the timer
 * wheel's do.  Kernel: tick_nohz_next_event(), kernel/time/tick-sched.c, v6.12.
 */
static void tick_stop(struct sim_cpu *cpu)
{
	if (!cpu->tick_running)
		return;
	cpu->tick_running = false;
	sim_timer_cancel(cpu, SIM_TIMER_TICK);
	sim_nohz_sleep(cpu);
}

/* Until the first of the CPU's timers, ns.  Kernel: tick_nohz_get_sleep_length(). */
static u64 next_timer(const struct sim_cpu *cpu, bool tick)
{
	u64 first_ns = SIM_NEVER;

	for (u32 left = cpu->armed; left; left &= left - 1) {
		u32 timer = (u32)__builtin_ctz(left);

		if (timer != SIM_TIMER_IPI && timer != SIM_TIMER_CHANGE && timer != SIM_TIMER_IRQ &&
		    (tick || timer != SIM_TIMER_TICK) && cpu->timers[timer].time_ns < first_ns)
			first_ns = cpu->timers[timer].time_ns;
	}
	first_ns -= cpu->sim->now_ns;
	return first_ns < POLICY_IDLE_NEVER ? first_ns : POLICY_IDLE_NEVER;
}

static struct policy_idle_choice menu_select(struct sim_idle *idle,
					     const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	policy_menu_select(idle->rules, &idle->menu, &idle->states, entry, &choice);
	return choice;
}

static void menu_reflect(struct sim_idle *idle, const struct policy_idle_sleep *sleep)
{
	policy_menu_update(&idle->menu, &idle->states, sleep);
}

static struct policy_idle_choice teo_select(struct sim_idle *idle,
					    const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	idle->teo_form->select(&idle->teo, &idle->states, entry, &choice);
	return choice;
}

static void teo_reflect(struct sim_idle *idle, const struct policy_idle_sleep *sleep)
{
	idle->teo_form->update(&idle->teo, &idle->states, sleep);
}

static struct policy_idle_choice haltpoll_select(struct sim_idle *idle,
						 const struct policy_idle_entry *entry)
{
	struct policy_idle_choice choice;

	(void)entry;
	idle->poll_ns = idle->haltpoll.poll_ns;
	policy_haltpoll_select(&idle->haltpoll, &choice);
	return choice;
}

static void haltpoll_reflect(struct sim_idle *idle, const struct policy_idle_sleep *sleep)
{
	policy_haltpoll_update(idle->rules, &idle->haltpoll, sleep);
}

static const struct sim_governor governors[MACHINE_NR_IDLE] = {
	[MACHINE_IDLE_MENU] = { menu_select, menu_reflect },
	[MACHINE_IDLE_TEO] = { teo_select, teo_reflect },
	[MACHINE_IDLE_HALTPOLL] = { haltpoll_select, haltpoll_reflect },
};

static const struct sim_teo teos[POLICY_NR_GOVERNORS] = {
	[POLICY_GOVERNORS_TIMER] = { policy_teo_recent_select, policy_teo_recent_update },
	[POLICY_GOVERNORS_SPARING] = { policy_teo_select, policy_teo_update },
	[POLICY_GOVERNORS_TICK] = { policy_teo_tick_select, policy_teo_tick_update },
};

static void add_state(struct policy_idle_states *states, u32 exit_latency_us, u32 residency_us)
{
	states->at[states->nr++] =
		(struct policy_idle_state){ exit_latency_us * 1000ULL, residency_us * 1000ULL };
}

/*
 * A device tree lists the states beyond the plain wait for an interrupt, which its driver puts
 * before them; haltpoll's driver knows two of its own.
 * Kernel: drivers/cpuidle/cpuidle-psci.c, cpuidle-haltpoll.c, v6.12.
 */
static void states_init(struct policy_idle_states *states, const struct machine_kind *kind,
			enum machine_idle governor)
{
	if (governor == MACHINE_IDLE_HALTPOLL) {
		add_state(states, 0, 0);
		add_state(states, 1, 1);
		return;
	}
	if (kind->nr_idle_states && kind->idle_states[0].target_residency_us > 1)
		add_state(states, 1, 1);
	for (u32 i = 0; i < kind->nr_idle_states; i++)
		add_state(states, kind->idle_states[i].exit_latency_us,
			  kind->idle_states[i].target_residency_us);
}

/* A CPU with one state or none has nothing to choose. */
void sim_idle_init(struct sim_cpu *cpu)
{
	const struct machine *machine = cpu->sim->setup->machine;
	const struct machine_kind *kind = &machine->kinds[machine->cpus[cpu->id].kind];
	struct policy_idle_states states = { .tick_ns = cpu->sim->tick_ns };
	enum policy_governors generation = cpu->sim->setup->release->governors;

	if (machine->idle == MACHINE_IDLE_NO_DRIVER)
		return;
	states_init(&states, kind, machine->idle);
	if (states.nr < 2)
		return;
	cpu->governed = NEW(struct sim_idle);
	cpu->governed->states = states;
	cpu->governed->governor = &governors[machine->idle];
	cpu->governed->teo_form = &teos[generation];
	cpu->governed->rules = &policy_idle_rules[generation];
	cpu->governed->poll_ns = policy_idle_poll_ns(&states);
	if (machine->idle == MACHINE_IDLE_MENU)
		policy_menu_init(&cpu->governed->menu);
}

void sim_idle_fini(struct sim_cpu *cpu)
{
	free(cpu->governed);
}

/* The governor's state, until something ends it.  Kernel: cpuidle_idle_call(). */
static void governed_enter(struct sim_cpu *cpu)
{
	struct sim_idle *idle = cpu->governed;
	const struct policy_idle_entry entry = { .timer_ns = next_timer(cpu, false),
						 .event_ns = next_timer(cpu, true),
						 .nr_iowait = cpu->nr_iowait,
						 .tick_stopped = !cpu->tick_running };
	struct policy_idle_choice choice = idle->governor->select(idle, &entry);

	if (choice.stop_tick)
		tick_stop(cpu);
	idle->state = choice.state;
	idle->since_ns = cpu->sim->now_ns;
	idle->awake_ns = 0;
	cpu->exit_latency_ns = idle->states.at[choice.state].exit_latency_ns;
	if (policy_idle_polls(&idle->states, choice.state))
		sim_timer_arm(cpu, SIM_TIMER_IDLE_POLL, cpu->sim->now_ns + idle->poll_ns);
	sim_emit_idle(cpu, choice.state);
}

static void governed_exit(struct sim_cpu *cpu, bool after_tick)
{
	struct sim_idle *idle = cpu->governed;
	const struct policy_idle_sleep sleep = {
		.state = idle->state,
		.residency_ns = cpu->sim->now_ns - idle->since_ns,
		.tick = after_tick,
		.poll_over = policy_idle_polls(&idle->states, idle->state) &&
			     !sim_timer_armed(cpu, SIM_TIMER_IDLE_POLL),
	};

	sim_timer_cancel(cpu, SIM_TIMER_IDLE_POLL);
	cpu->exit_latency_ns = 0;
	idle->governor->reflect(idle, &sleep);
}

static void enter(struct sim_cpu *cpu, bool after_tick)
{
	cpu->idle_calls++;
	if (cpu->governed) {
		governed_enter(cpu);
		return;
	}
	if (policy_idle_stop_tick(after_tick))
		tick_stop(cpu);
	sim_emit_idle(cpu, 1);
}

static void leave(struct sim_cpu *cpu, bool after_tick)
{
	sim_emit_idle(cpu, EVENT_IDLE_EXIT);
	if (cpu->governed)
		governed_exit(cpu, after_tick);
}

static bool take_tick(struct sim_cpu *cpu)
{
	bool hit = cpu->idle_tick;

	cpu->idle_tick = false;
	return hit;
}

void sim_idle_again(struct sim_cpu *cpu)
{
	bool after_tick = take_tick(cpu);

	leave(cpu, after_tick);
	enter(cpu, after_tick);
}

void sim_idle_enter(struct sim_cpu *cpu)
{
	if (!cpu->active) {
		sim_hotplug_dead(cpu);
		return;
	}
	cpu->in_idle = true;
	sim_timer_cancel(cpu, SIM_TIMER_DONE);
	sim_nohz_going_idle(cpu);
	enter(cpu, false);
}

void sim_idle_leave(struct sim_cpu *cpu)
{
	cpu->in_idle = false;
	leave(cpu, take_tick(cpu));
	sim_tick_start(cpu);
}

/*
 * An interrupt hits a CPU that sleeps in a state which takes time to leave: all of its
 * timers wait until it is awake.  False: it is.
 */
bool sim_idle_wakes(struct sim_cpu *cpu, enum sim_timer timer)
{
	struct sim_idle *idle = cpu->governed;
	u64 now_ns = cpu->sim->now_ns;

	if (!idle->awake_ns)
		idle->awake_ns = now_ns + cpu->exit_latency_ns;
	if (now_ns < idle->awake_ns) {
		sim_timer_arm(cpu, timer, idle->awake_ns);
		return true;
	}
	idle->awake_ns = 0;
	cpu->exit_latency_ns = 0;
	return false;
}
