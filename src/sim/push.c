/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push - realtime and deadline tasks find a CPU: where they wake, and whenever a CPU has one
 * too many (push) or lowers what it runs (pull).
 *
 * Kernel: find_lowest_rq(), push_rt_task(), pull_rt_task() and the like, kernel/sched/rt.c;
 * find_later_rq() and the like, kernel/sched/deadline.c; cpupri.c, cpudeadline.c; v6.12.
 */
#include "sim/deadline.h"
#include "sim/entity.h"
#include "sim/uclamp.h"

#define LEVEL_DL 100 /* above every realtime priority.  Kernel: CPUPRI_HIGHER */

/* What a task asks of the CPU that it goes to. */
struct wish {
	const struct sim_task *task;
	bool (*meets)(const struct wish *wish, const struct sim_cpu *cpu);
	u32 level;    /* realtime: that the CPU is at */
	bool fitting; /* and big enough */
};

static bool meets(const struct wish *wish, u32 cpu)
{
	return sim_allowed(wish->task, cpu) && wish->meets(wish, &wish->task->sim->cpus[cpu]);
}

/* The next that meets it after the last one that was found so.  Kernel: cpumask_any_and_distribute(). */
static struct sim_cpu *any_of(const struct wish *wish, const u32 *cpus, u32 nr)
{
	struct sim *sim = wish->task->sim;
	u32 *last = &sim->here->distribute, at = 0;

	while (at < nr && cpus[at] <= *last)
		at++;
	for (u32 i = 0; i < nr; i++) {
		u32 cpu = cpus[(at + i) % nr];

		if (meets(wish, cpu)) {
			*last = cpu;
			return &sim->cpus[cpu];
		}
	}
	return NULL;
}

static struct sim_cpu *anywhere(const struct wish *wish)
{
	struct sim *sim = wish->task->sim;

	for (u32 i = 0; i < sim->nr_cpus; i++)
		if (meets(wish, i))
			return &sim->cpus[i];
	return NULL;
}

/*
 * Of the CPUs that meet the wish: the task's last one, else the one that looks for it or any
 * other, those that share the smallest domain first.  NULL: none does.
 * Kernel: the end of find_lowest_rq() and find_later_rq().
 */
static struct sim_cpu *nearest(const struct wish *wish)
{
	const struct sim_task *task = wish->task;
	const struct machine_cpu_domains *domains = task->cpu->domains;
	struct sim_cpu *here = task->sim->here, *found;

	if (meets(wish, task->cpu->id))
		return task->cpu;
	if (!meets(wish, here->id))
		here = NULL;
	for (u32 i = 0; i < domains->nr; i++) {
		const struct machine_domain *domain = domains->at[i];

		if (!(domain->flags & MACHINE_SD_WAKE_AFFINE))
			continue;
		if (here && machine_domain_has(&here->sim->domains, domain, here->id))
			return here;
		found = any_of(wish, domain->cpus, domain->nr_cpus);
		if (found)
			return found;
	}
	return here ? here : anywhere(wish);
}

/* Kernel: convert_prio() of what is queued, kernel/sched/cpupri.c. */
static u32 level_of(const struct sim_cpu *cpu)
{
	if (cpu->dl_first || cpu->server.queued)
		return LEVEL_DL;
	return sim_rt_top(cpu);
}

/* Kernel: rt_task_fits_capacity(). */
static bool rt_fits(const struct sim_task *task, const struct sim_cpu *cpu)
{
	u32 min = sim_uclamp_of(task, POLICY_UCLAMP_MIN);
	u32 max = sim_uclamp_of(task, POLICY_UCLAMP_MAX);

	return !task->sim->domains.asym || cpu->capacity >= (min < max ? min : max);
}

static bool at_level(const struct wish *wish, const struct sim_cpu *cpu)
{
	return level_of(cpu) == wish->level && (!wish->fitting || rt_fits(wish->task, cpu));
}

/* The lowest of the CPUs that it may use, and that it fits if it must, or its own priority. */
static u32 lowest_level(const struct sim_task *task, bool fitting)
{
	u32 lowest = task->rt_prio;

	for (u32 i = 0; i < task->sim->nr_cpus; i++) {
		const struct sim_cpu *cpu = &task->sim->cpus[i];

		if (sim_allowed(task, i) && level_of(cpu) < lowest &&
		    (!fitting || rt_fits(task, cpu)))
			lowest = level_of(cpu);
	}
	return lowest;
}

/* Would it run at once somewhere?  Kernel: cpupri_find(). */
bool sim_rt_may_go(const struct sim_task *task)
{
	return lowest_level(task, false) < task->rt_prio;
}

/* One that it fits if there is such a one.  Kernel: find_lowest_rq(), cpupri_find_fitness(). */
static struct sim_cpu *find_lowest(const struct sim_task *task)
{
	struct wish wish = { .task = task, .meets = at_level, .fitting = true };

	if (task->nr_allowed == 1)
		return NULL;
	wish.level = lowest_level(task, true);
	if (wish.level == task->rt_prio) {
		wish.fitting = false;
		wish.level = lowest_level(task, false);
	}
	return wish.level < task->rt_prio ? nearest(&wish) : NULL;
}

/* No deadline task, and big enough if any such is. */
static bool is_free(const struct wish *wish, const struct sim_cpu *cpu)
{
	return level_of(cpu) != LEVEL_DL &&
	       (!wish->fitting || policy_dl_fits(&wish->task->dl, cpu->capacity));
}

static bool is_biggest(const struct wish *wish, const struct sim_cpu *cpu)
{
	return level_of(cpu) != LEVEL_DL && cpu->capacity == wish->level;
}

/* When the first of its deadline tasks and its server is due. */
static u64 earliest_ns(const struct sim_cpu *cpu)
{
	const struct policy_server *server = &cpu->server;

	if (!cpu->dl_first || (server->queued && policy_dl_before(server->deadline_ns,
								  cpu->dl_first->dl.deadline_ns)))
		return server->deadline_ns;
	return cpu->dl_first->dl.deadline_ns;
}

/* The one CPU whose first deadline is the last of all.  Kernel: cpudl_maximum(). */
static struct sim_cpu *latest(const struct sim_task *task)
{
	struct sim *sim = task->sim;
	struct sim_cpu *best = NULL;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		if (level_of(cpu) == LEVEL_DL &&
		    (!best || policy_dl_before(earliest_ns(best), earliest_ns(cpu))))
			best = cpu;
	}
	if (!best || !sim_allowed(task, best->id) ||
	    !policy_dl_before(task->dl.deadline_ns, earliest_ns(best)))
		return NULL;
	return best;
}

/* Kernel: find_later_rq(), cpudl_find(). */
static struct sim_cpu *find_later(const struct sim_task *task)
{
	struct wish wish = { .task = task, .meets = is_free, .fitting = true };
	struct sim_cpu *found;

	if (task->nr_allowed == 1)
		return NULL;
	found = nearest(&wish);
	if (found)
		return found;
	wish.fitting = false;
	for (u32 i = 0; i < task->sim->nr_cpus; i++) {
		const struct sim_cpu *cpu = &task->sim->cpus[i];

		if (sim_allowed(task, i) && is_free(&wish, cpu) && cpu->capacity > wish.level)
			wish.level = cpu->capacity;
	}
	wish.meets = is_biggest;
	return wish.level ? nearest(&wish) : latest(task);
}

/* Would it run there at once?  Kernel: dl_task_is_earliest_deadline(). */
static bool is_earliest(const struct sim_task *task, const struct sim_cpu *cpu)
{
	return level_of(cpu) != LEVEL_DL ||
	       policy_dl_before(task->dl.deadline_ns, earliest_ns(cpu));
}

/* Where a realtime task wakes.  Kernel: select_task_rq_rt(). */
struct sim_cpu *sim_select_rt(struct sim_task *task)
{
	const struct sim_task *curr = task->cpu->curr;
	bool busy = curr->class == &sim_class_rt &&
		    (curr->nr_allowed < 2 || curr->rt_prio >= task->rt_prio);
	struct sim_cpu *to;

	if (busy || !rt_fits(task, task->cpu)) {
		to = find_lowest(task);
		if (to && (busy || rt_fits(task, to)) && task->rt_prio > sim_rt_top(to))
			return to;
	}
	return sim_first_allowed(task);
}

/* Where a deadline task wakes.  Kernel: select_task_rq_dl(). */
struct sim_cpu *sim_select_dl(struct sim_task *task)
{
	const struct sim_task *curr = task->cpu->curr;
	bool look = curr->class == &sim_class_dl &&
		    (curr->nr_allowed < 2 ||
		     !policy_dl_before(task->dl.deadline_ns, curr->dl.deadline_ns));
	struct sim_cpu *to;

	if (look || !policy_dl_fits(&task->dl, task->cpu->capacity)) {
		to = find_later(task);
		if (to && is_earliest(task, to))
			return to;
	}
	return sim_first_allowed(task);
}

/* Kernel: move_queued_task_locked(). */
static void move(struct sim_task *task, struct sim_cpu *to, enum sim_reason reason)
{
	struct sim *sim = task->sim;
	struct sim_cpu *from = task->cpu;

	sim_decide(sim, task, SIM_RULE_MIGRATE, reason, to);
	sim_read_clock(from);
	sim_deactivate(from, task, 0);
	sim_emit_migrate(sim, task, from->id, to->id);
	sim_task_set_cpu(task, to);
	sim_activate(to, task, SIM_ENQUEUE_MIGRATED);
	sim_cpu_resched(to);
}

static bool is_pushable(const struct sim_cpu *cpu, const struct sim_task *task)
{
	return task != cpu->curr && task->nr_allowed > 1;
}

/* The first by deadline that could go, and @to (NULL: any) may have. */
static struct sim_task *pushable_dl(const struct sim_cpu *cpu, const struct sim_cpu *to)
{
	for (struct sim_task *task = cpu->dl_first; task; task = task->rt_next)
		if (is_pushable(cpu, task) && (!to || sim_allowed(task, to->id)))
			return task;
	return NULL;
}

static bool push_one_dl(struct sim_cpu *cpu)
{
	struct sim_task *task = pushable_dl(cpu, NULL);
	struct sim_cpu *to;

	if (!task)
		return false;
	if (cpu->curr->class == &sim_class_dl && cpu->curr->nr_allowed > 1 &&
	    policy_dl_before(task->dl.deadline_ns, cpu->curr->dl.deadline_ns)) {
		sim_cpu_resched(cpu);
		return false;
	}
	to = find_later(task);
	if (!to || to == cpu || !is_earliest(task, to))
		return false;
	move(task, to, SIM_REASON_PUSH);
	return true;
}

/* Kernel: push_dl_tasks(). */
void sim_push_dl(struct sim_cpu *cpu)
{
	while (cpu->dl_first && push_one_dl(cpu))
		;
}

static bool push_one_rt(struct sim_cpu *cpu)
{
	struct sim_task *task = sim_rt_pushable(cpu, NULL);
	struct sim_cpu *to;

	if (!task)
		return false;
	if (sim_prio(task) < sim_running_prio(cpu)) {
		sim_cpu_resched(cpu);
		return false;
	}
	to = find_lowest(task);
	if (!to || to == cpu || sim_rt_top(to) >= task->rt_prio)
		return false;
	move(task, to, SIM_REASON_PUSH);
	return true;
}

/* Kernel: push_rt_tasks(). */
void sim_push_rt(struct sim_cpu *cpu)
{
	while (cpu->rt_nr && push_one_rt(cpu))
		;
}

/* It was woken, and does not run here at once.  Kernel: task_woken_rt(), task_woken_dl(). */
void sim_push_woken(struct sim_cpu *cpu, struct sim_task *task)
{
	const struct sim_task *curr = cpu->curr;

	if (curr == task || cpu->need_resched || task->nr_allowed < 2 || curr == cpu->idle ||
	    curr->class->rank < task->class->rank)
		return;
	if (curr->nr_allowed >= 2 && curr->class == task->class) {
		if (task->rt_prio > curr->rt_prio)
			return;
		if (task->class == &sim_class_dl &&
		    policy_dl_before(task->dl.deadline_ns, curr->dl.deadline_ns))
			return;
	}
	task->class->push(cpu);
}

/* Kernel: pull_dl_task(). */
static void pull_dl(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;

	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *from = &sim->cpus[i];
		struct sim_task *task;

		if (from == cpu || from->dl_nr < 2)
			continue;
		task = pushable_dl(from, cpu);
		if (!task || !is_earliest(task, cpu) ||
		    (from->curr->class == &sim_class_dl &&
		     policy_dl_before(task->dl.deadline_ns, from->curr->dl.deadline_ns)))
			continue;
		move(task, cpu, SIM_REASON_PULL);
	}
}

/*
 * The next CPU with a task to push is asked to, by an interrupt, and then the one after it.
 * Kernel: tell_cpu_to_push(), rto_next_cpu().
 */
static void ask_next(struct sim *sim, u32 from)
{
	for (u32 i = from; i < sim->nr_cpus; i++) {
		struct sim_cpu *cpu = &sim->cpus[i];

		if (cpu == sim->here || !cpu->rt_nr || !sim_rt_pushable(cpu, NULL))
			continue;
		cpu->push_asked = sim->push_asked = true;
		sim_cpu_ipi(cpu);
		return;
	}
	sim->push_asked = false;
}

/* The interrupt came.  Kernel: rto_push_irq_work_func(). */
void sim_push_ipi(struct sim_cpu *cpu)
{
	if (!cpu->push_asked)
		return;
	cpu->push_asked = false;
	sim_push_rt(cpu);
	ask_next(cpu->sim, cpu->id + 1);
}

/* Kernel: pull_rt_task(). */
static void pull_rt(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;

	if (policy_feature(&sim->features, POLICY_RT_PUSH_IPI)) {
		if (!sim->push_asked)
			ask_next(sim, 0);
		return;
	}
	for (u32 i = 0; i < sim->nr_cpus; i++) {
		struct sim_cpu *from = &sim->cpus[i];
		struct sim_task *task;

		if (from == cpu || !from->rt_nr)
			continue;
		task = sim_rt_pushable(from, cpu);
		if (!task || task->rt_prio <= sim_rt_top(cpu) ||
		    sim_prio(task) < sim_running_prio(from))
			continue;
		move(task, cpu, SIM_REASON_PULL);
	}
}

/*
 * @task, which ran on @cpu, was of @class and @prio, and what is left may be less urgent: does
 * another CPU have something?
 * Kernel: balance_dl(), balance_rt(); prio_changed_rt(), switched_from_rt() and the like.
 */
void sim_pull(struct sim_cpu *cpu, const struct sim_class *class, s32 prio)
{
	if (class == &sim_class_dl)
		pull_dl(cpu);
	if (cpu->dl_first || cpu->server.queued)
		return;
	if (99 - (s32)sim_rt_top(cpu) > prio)
		pull_rt(cpu);
}
