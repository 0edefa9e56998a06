/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * track_cpu - the clock of load averages, what other classes and interrupts use, and averages
 * of what sleeps.
 */
#include "sim/freq.h"
#include "sim/load.h"
#include "sim/track.h"

static void update_other(struct sim_cpu *cpu, struct policy_pelt *pelt, bool running)
{
	const struct policy_pelt_input in = { .now_ns = sim_track_cpu_clock(cpu),
					      .load = 1,
					      .runnable = 1,
					      .running = true,
					      .contrib_freq = sim_contrib_freq(cpu),
					      .contrib_cpu = sim_contrib_cpu(cpu) };

	if (running)
		policy_pelt_update(pelt, &in, 1);
	else
		policy_pelt_decay(pelt, in.now_ns, 1);
}

void sim_track_rt(struct sim_cpu *cpu, bool running)
{
	if (cpu->sim->tracks)
		update_other(cpu, &cpu->rt_load, running);
}

void sim_track_dl(struct sim_cpu *cpu, bool running)
{
	if (cpu->sim->tracks)
		update_other(cpu, &cpu->dl_load, running);
}

/* As if the interrupts had been the last thing that happened.  Kernel: update_irq_load_avg(). */
void sim_track_irq(struct sim_cpu *cpu, u64 ns)
{
	u64 now_ns = cpu->sim->now_ns + POLICY_PELT_FIRST_NS;
	u64 scaled_ns = policy_pelt_scale(ns, cpu->freq_scale, cpu->capacity);
	struct policy_pelt_input in = { .now_ns = now_ns - scaled_ns };
	bool moved;

	if (!cpu->sim->tracks || !policy_feature(&cpu->sim->features, POLICY_NONTASK_CAPACITY))
		return;
	moved = policy_pelt_sums(&cpu->irq_load, &in);
	in = (struct policy_pelt_input){ now_ns, 1, 1, true, 1024, 1024 };
	moved |= policy_pelt_sums(&cpu->irq_load, &in);
	if (moved)
		policy_pelt_average(&cpu->irq_load, 1);
}

/* Kernel: _update_idle_rq_clock_pelt(). */
static void sync_idle_clock(struct sim_cpu *cpu)
{
	cpu->pelt_ns = cpu->clock_ns + POLICY_PELT_FIRST_NS;
	cpu->idle_clock_ns = sim_rq_clock(cpu);
	cpu->idle_pelt_ns = sim_track_cpu_clock(cpu);
}

/* Kernel: update_rq_clock_pelt(). */
void sim_track_clock(struct sim_cpu *cpu, u64 delta_ns)
{
	if (cpu->curr == cpu->idle)
		sync_idle_clock(cpu);
	else if (cpu->sim->contrib)
		cpu->pelt_ns += delta_ns;
	else
		cpu->pelt_ns += policy_pelt_scale(delta_ns, cpu->capacity, cpu->freq_scale);
}

/* A CPU that was fully busy had no idle time that running slower could have taken. */
void sim_track_cpu_idle(struct sim_cpu *cpu)
{
	u64 util = (u64)cpu->root.pelt.util_sum + cpu->rt_load.util_sum + cpu->dl_load.util_sum;

	if (!cpu->sim->tracks)
		return;
	if (!cpu->sim->contrib && util >= (POLICY_PELT_LEAST << 10) - POLICY_PELT_MAX)
		cpu->lost_idle_ns += cpu->clock_ns + POLICY_PELT_FIRST_NS - cpu->pelt_ns;
	sync_idle_clock(cpu);
}

/* Kernel: skip_blocked_update(). */
static bool nothing_blocked(const struct sim_entity *se)
{
	return !se->pelt.load_avg && !se->pelt.util_avg && !se->own->propagate;
}

/* True if the queue's averages are not zero yet.  Kernel: __update_blocked_fair(). */
static bool update_leaf(struct sim_queue *queue)
{
	struct sim_entity *se = queue->entity;

	if (sim_track_queue(queue)) {
		sim_track_tell(queue);
		if (!queue->nr_queued)
			sim_track_idle(queue);
	}
	if (se && !nothing_blocked(se))
		sim_track_update(se, SIM_TRACK_TG);
	if (se && sim_track_is_decayed(queue))
		queue->leaf = false;
	return queue->pelt.load_avg || queue->pelt.util_avg;
}

/* Up to 6.9 the two kinds of limit are one signal.  Kernel: update_hw_load_avg(), v6.12. */
void sim_track_pressure(struct sim_cpu *cpu)
{
	struct policy_pelt_input in = { .now_ns = cpu->clock_ns + POLICY_PELT_FIRST_NS,
					.load = cpu->hardware_pressure,
					.contrib_freq = 1024,
					.contrib_cpu = 1024 };

	if (!cpu->sim->limits || !cpu->sim->tracks)
		return;
	if (cpu->sim->rules->pressure_average)
		in.load = policy_larger(in.load, cpu->pressure);
	policy_pelt_update(&cpu->pressure_load, &in, 1);
}

/* One that is zero stays so; who begins to run brings it up to date first. */
static void age_other(struct sim_cpu *cpu, struct policy_pelt *pelt, const struct sim_class *class)
{
	bool running = cpu->curr->class == class;

	if (running || !policy_pelt_is_zero(pelt))
		update_other(cpu, pelt, running);
}

/* Kernel: update_other_load_avgs(). */
static bool update_others(struct sim_cpu *cpu)
{
	age_other(cpu, &cpu->rt_load, &sim_class_rt);
	age_other(cpu, &cpu->dl_load, &sim_class_dl);
	if (cpu->sim->setup->workload->interrupts.nr)
		sim_track_irq(cpu, 0);
	sim_track_pressure(cpu);
	return cpu->pressure_load.load_avg || cpu->rt_load.util_avg || cpu->dl_load.util_avg ||
	       cpu->irq_load.util_avg;
}

/* Groups come after the one that they are in.  Kernel: update_blocked_averages(). */
bool sim_cpu_load_blocked(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	u64 util = cpu->root.pelt.util_avg, rt = cpu->rt_load.util_avg;
	bool left;

	if (!sim->tracks)
		return false;
	sim_read_clock(cpu);
	left = update_others(cpu);
	for (size_t i = sim->setup->workload->cgroups.nr; i--;) {
		struct sim_queue *queue = &sim->group_queues[i * sim->nr_cpus + cpu->id];

		if (queue->leaf)
			left |= update_leaf(queue);
	}
	left |= update_leaf(&cpu->root);
	if (cpu->root.pelt.util_avg != util || cpu->rt_load.util_avg != rt)
		sim_freq_update(cpu);
	return left;
}

/*
 * On one CPU all of a group is in one queue, so that its weight there is its whole weight,
 * and nothing is placed or balanced: no average can be read.
 */
void sim_track_init(struct sim *sim)
{
	sim->tracks = sim->nr_cpus > 1 || sim->schedutil ||
		      sim->setup->cgroup_mode != POLICY_CGROUP_CONCUR;
	sim->contrib = policy_feature(&sim->features, POLICY_PELT_CONTRIB);
	vec_for_each(change, &sim->setup->workload->changes)
		sim->limits |=
			change->what == WORKLOAD_LIMIT || change->what == WORKLOAD_HARDWARE_LIMIT;
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		cpu->free_capacity = cpu->capacity;
		cpu->pelt_ns = cpu->idle_pelt_ns = POLICY_PELT_FIRST_NS;
		cpu->root.pelt.update_ns = POLICY_PELT_FIRST_NS;
		cpu->rt_load.update_ns = cpu->dl_load.update_ns = POLICY_PELT_FIRST_NS;
		cpu->irq_load.update_ns = POLICY_PELT_FIRST_NS;
		cpu->pressure_load.update_ns = POLICY_PELT_FIRST_NS;
	}
	for (size_t i = 0; i < sim->setup->workload->cgroups.nr * sim->nr_cpus; i++) {
		sim->group_queues[i].pelt.update_ns = POLICY_PELT_FIRST_NS;
		sim->group_entities[i].pelt.update_ns = POLICY_PELT_FIRST_NS;
		sim->group_entities[i].attached = sim->tracks;
	}
}
