/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rt_throttle - what keeps realtime tasks from having a CPU to themselves, up to the fair
 * server: a runtime per CPU and period, one timer for all CPUs.
 *
 * Kernel: update_curr_rt(), do_start_rt_bandwidth(), sched_rt_period_timer(),
 * kernel/sched/rt.c, v6.1.
 */
#include "policy/rt.h"
#include "sim/internal.h"

/* Kernel: do_start_rt_bandwidth(): the first period ends at once. */
void sim_rt_period_start(struct sim *sim)
{
	if (!sim->setup->release->rt_runtime_ns || sim->rt_period_active)
		return;
	sim->rt_period_active = true;
	sim_timer_arm(sim->here, SIM_TIMER_RT_PERIOD, sim->now_ns);
}

void sim_rt_throttle_init(struct sim *sim)
{
	for (u32 i = 0; i < sim->nr_cpus; i++)
		sim->cpus[i].rt_runtime_ns = sim->setup->release->rt_runtime_ns;
}

static bool shares(const struct sim *sim)
{
	return policy_feature(&sim->features, POLICY_RT_RUNTIME_SHARE);
}

/* It has had too much: others lend what they may not need.  Kernel: balance_runtime(). */
static void balance_runtime(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;

	if (!shares(sim) || !policy_rt_exceeded(cpu->rt_time_ns, cpu->rt_runtime_ns))
		return;
	for (u32 i = 0; i < sim->nr_cpus && cpu->rt_runtime_ns < POLICY_RT_PERIOD_NS; i++) {
		struct sim_cpu *other = &sim->cpus[i];
		u64 ns;

		if (other == cpu || !other->active)
			continue;
		ns = policy_rt_borrow(cpu->rt_runtime_ns, other->rt_runtime_ns, other->rt_time_ns,
				      sim->nr_cpus - sim->nr_offline);
		other->rt_runtime_ns -= ns;
		cpu->rt_runtime_ns += ns;
	}
}

/* One that goes takes back what it lent, or the other way.  Kernel: __disable_runtime(). */
static void settle(struct sim_cpu *cpu, u64 runtime_ns)
{
	struct sim *sim = cpu->sim;
	s64 want_ns = (s64)(runtime_ns - cpu->rt_runtime_ns);

	for (u32 i = 0; i < sim->nr_cpus && want_ns; i++) {
		struct sim_cpu *other = &sim->cpus[i];
		s64 ns = want_ns;

		if (other == cpu || !other->active)
			continue;
		if (ns > (s64)other->rt_runtime_ns)
			ns = (s64)other->rt_runtime_ns;
		other->rt_runtime_ns -= (u64)ns;
		want_ns -= ns;
	}
	cpu->rt_runtime_ns = runtime_ns;
}

/* It goes, where nobody is throttled any more, or comes.  Kernel: __enable_runtime(). */
void sim_rt_throttle_cpu(struct sim_cpu *cpu, bool online)
{
	u64 runtime_ns = cpu->sim->setup->release->rt_runtime_ns;

	if (!runtime_ns)
		return;
	if (online)
		cpu->rt_time_ns = 0;
	else
		settle(cpu, runtime_ns);
	if (cpu->rt_throttled) {
		cpu->rt_throttled = false;
		sim_add_nr_running(cpu, cpu->rt_nr);
	}
}

/* Is it throttled, now or already?  Kernel: sched_rt_runtime_exceeded(). */
static bool throttle(struct sim_cpu *cpu)
{
	if (cpu->rt_throttled)
		return true;
	if (!cpu->active || cpu->rt_runtime_ns >= POLICY_RT_PERIOD_NS)
		return false;
	balance_runtime(cpu);
	return policy_rt_exceeded(cpu->rt_time_ns, cpu->rt_runtime_ns);
}

/* The running task, a realtime one, has had @ns more. */
void sim_rt_account(struct sim_cpu *cpu, u64 ns)
{
	if (!cpu->sim->setup->release->rt_runtime_ns)
		return;
	cpu->rt_time_ns += ns;
	if (throttle(cpu) && !cpu->rt_throttled) {
		cpu->rt_throttled = true;
		sim_sub_nr_running(cpu, cpu->rt_nr);
	}
	if (!cpu->rt_throttled)
		return;
	sim_cpu_resched(cpu);
	sim_rt_period_start(cpu->sim);
}

/*
 * The running task, a deadline one, has had @ns more: it counts too, but realtime tasks are
 * left to notice.  Kernel: the end of update_curr_dl(), sched_rt_bandwidth_account(), v6.1.
 */
void sim_rt_account_dl(struct sim_cpu *cpu, u64 ns)
{
	u64 runtime_ns = cpu->sim->setup->release->rt_runtime_ns;

	if (runtime_ns && (cpu->sim->rt_period_active || cpu->rt_time_ns < runtime_ns))
		cpu->rt_time_ns += ns;
}

/* True if the CPU has nothing to do with realtime tasks. */
static bool period_over(struct sim_cpu *cpu)
{
	bool go = !cpu->rt_time_ns && !cpu->rt_throttled;

	if (!cpu->rt_time_ns && !cpu->rt_nr)
		return true;
	if (cpu->rt_throttled)
		balance_runtime(cpu);
	cpu->rt_time_ns = policy_rt_refill(cpu->rt_time_ns, cpu->rt_runtime_ns);
	if (cpu->rt_throttled && policy_rt_may_resume(cpu->rt_time_ns, cpu->rt_runtime_ns)) {
		cpu->rt_throttled = false;
		sim_add_nr_running(cpu, cpu->rt_nr);
		go = true;
	}
	if (go && cpu->rt_nr)
		sim_cpu_resched(cpu);
	return !cpu->rt_time_ns && !cpu->rt_nr;
}

/* Kernel: sched_rt_period_timer(), do_sched_rt_period_timer(). */
void sim_rt_period_interrupt(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	bool idle = true;

	sim_cpu_cost(cpu, EVENT_COST_TIMER, sim->setup->machine->costs.timer_ns);
	for (u32 i = 0; i < sim->nr_cpus; i++)
		idle &= period_over(&sim->cpus[i]);
	sim->rt_period_active = !idle;
	if (!idle)
		sim_timer_arm(cpu, SIM_TIMER_RT_PERIOD, sim->now_ns + POLICY_RT_PERIOD_NS);
	sim_cpu_irq_idle(cpu);
	sim_cpu_irq_end(cpu);
}
