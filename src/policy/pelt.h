/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pelt - load, runnable time and utilisation as averages that halve every 32 ms.
 *
 * Time goes in units of 1024 ns and periods of 1024 units.  A sum is what each unit brought,
 * times y for every period since, y^32 = 1/2; an average is the sum by what it can be at most.
 *
 *   load      of an entity: its weight while it is queued; of a queue: that of its entities
 *   runnable  1024 for each task that waits or runs
 *   util      1024 while it runs
 *
 * An average only moves when a period ends.  The clock they go by is slowed with the CPU, so
 * that the same work gives the same utilisation on any CPU (policy_pelt_scale()).
 *
 * Kernel: kernel/sched/pelt.c, pelt.h, v6.12; what concerns queues: kernel/sched/fair.c.
 */
#ifndef POLICY_PELT_H
#define POLICY_PELT_H

#include "policy/math.h"
#include "policy/release.h"

#define POLICY_PELT_MAX      47742u /* the sum of 1024 y^n.  Kernel: LOAD_AVG_MAX */
#define POLICY_PELT_LEAST    (POLICY_PELT_MAX - 1024) /* Kernel: PELT_MIN_DIVIDER */
#define POLICY_EST_MARGIN    10                       /* Kernel: UTIL_EST_MARGIN */
#define POLICY_TG_RATE_NS    1000000                  /* between two changes of a group's load */
#define POLICY_PELT_PERIODS  2016                     /* after more than these nothing is left */
#define POLICY_PELT_FIRST_NS (1ULL << 30) /* when the clock of averages starts: not at 0 */

struct policy_pelt {
	u64 update_ns; /* sums go up to here; 0: it belongs to no queue.  Kernel: last_update_time */
	u64 load_sum, runnable_sum; /* of an entity load_sum is without its weight */
	u32 util_sum;
	u32 period_contrib; /* units of the period under way, 0..1023 */
	u64 load_avg, runnable_avg, util_avg;
	u32 est;            /* estimated utilisation; of a queue: of its tasks */
	u32 est_ewma;       /* with two values: the slow one */
	bool est_unchanged; /* util_avg is what it was when est was made */
};

/* What happened to it since update_ns. */
struct policy_pelt_input {
	u64 now_ns;
	u64 load;     /* 0: not queued */
	u64 runnable; /* how many */
	bool running;
	u32 contrib_freq, contrib_cpu; /* 1024; else contributions are scaled, not the clock */
};

/*
 * Time on a CPU as time on the biggest: @capacity and @freq are 1024 for full.
 * Kernel: update_rq_clock_pelt(), kernel/sched/pelt.h, v6.12.
 */
static inline u64 policy_pelt_scale(u64 delta_ns, u64 capacity, u64 freq)
{
	return ((delta_ns * capacity) >> 10) * freq >> 10;
}

/* @val * y^@periods.  Kernel: decay_load(), kernel/sched/pelt.c, v6.12. */
static inline u64 policy_decay_load(u64 val, u64 periods)
{
	/* 2^32 * y^n.  Kernel: runnable_avg_yN_inv[], kernel/sched/sched-pelt.h */
	static const u32 powers[32] = {
		0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb,
		0xdbfbb796, 0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9,
		0xbd08a39e, 0xb8fbaf46, 0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9,
		0xa2704302, 0x9ef5325f, 0x9b8d39b9, 0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a,
		0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698,
	};

	if (periods > POLICY_PELT_PERIODS || !val)
		return 0;
	return policy_mul_shr(val >> (periods / 32), powers[periods % 32], 32);
}

/*
 * What full activity brings: @first units of the period it began in, then whole periods,
 * @last units of the one under way; @periods: how many ends lie between, at least 1.
 * Kernel: __accumulate_pelt_segments(), kernel/sched/pelt.c, v6.12.
 */
static inline u32 policy_pelt_segments(u64 periods, u32 first, u32 last)
{
	return (u32)policy_decay_load(first, periods) +
	       (POLICY_PELT_MAX - (u32)policy_decay_load(POLICY_PELT_MAX, periods) - 1024) + last;
}

/* @units since the last time.  True if a period ended. Kernel: accumulate_sum(), pelt.c, v6.12. */
static inline bool policy_pelt_accumulate(struct policy_pelt *pelt, u64 units,
					  const struct policy_pelt_input *in)
{
	u64 position = units + pelt->period_contrib, periods = position / 1024;
	u32 contrib = (u32)units;

	if (periods) {
		pelt->load_sum = policy_decay_load(pelt->load_sum, periods);
		pelt->runnable_sum = policy_decay_load(pelt->runnable_sum, periods);
		pelt->util_sum = (u32)policy_decay_load(pelt->util_sum, periods);
		position %= 1024;
		if (in->load)
			contrib = policy_pelt_segments(periods, 1024 - pelt->period_contrib,
						       (u32)position);
	}
	pelt->period_contrib = (u32)position;
	if (!in->load)
		return periods;
	contrib = (u32)((u64)contrib * in->contrib_freq >> 10);
	pelt->load_sum += in->load * contrib;
	pelt->runnable_sum += in->runnable * contrib << 10;
	if (in->running)
		pelt->util_sum += contrib * in->contrib_cpu;
	return periods;
}

/* Is it up to date at @now_ns, to the unit?  Kernel: ___update_load_sum(), pelt.c, v6.12. */
static inline bool policy_pelt_is_current(const struct policy_pelt *pelt, u64 now_ns)
{
	return now_ns - pelt->update_ns < 1024;
}

/*
 * Sums up to @in->now_ns, whole units.  True if a period ended.
 * Kernel: ___update_load_sum(), kernel/sched/pelt.c, v6.12.
 */
static inline bool policy_pelt_sums(struct policy_pelt *pelt, const struct policy_pelt_input *in)
{
	u64 delta_ns = in->now_ns - pelt->update_ns;

	if ((s64)delta_ns < 0) {
		pelt->update_ns = in->now_ns;
		return false;
	}
	if (policy_pelt_is_current(pelt, in->now_ns))
		return false;
	pelt->update_ns += delta_ns & ~1023ULL;
	return policy_pelt_accumulate(pelt, delta_ns >> 10, in);
}

/* The most that a sum can be now.  Kernel: get_pelt_divider(), kernel/sched/pelt.h, v6.12. */
static inline u32 policy_pelt_divider(const struct policy_pelt *pelt)
{
	return POLICY_PELT_LEAST + pelt->period_contrib;
}

/* @weight: the entity's, 1 for a queue.  Kernel: ___update_load_avg(), pelt.c, v6.12. */
static inline void policy_pelt_average(struct policy_pelt *pelt, u64 weight)
{
	u32 divider = policy_pelt_divider(pelt);

	pelt->load_avg = weight * pelt->load_sum / divider;
	pelt->runnable_avg = pelt->runnable_sum / divider;
	pelt->util_avg = pelt->util_sum / divider;
}

/* Both.  Kernel: __update_load_avg_se() and its like, kernel/sched/pelt.c, v6.12. */
static inline bool policy_pelt_update(struct policy_pelt *pelt, const struct policy_pelt_input *in,
				      u64 weight)
{
	if (!policy_pelt_sums(pelt, in))
		return false;
	policy_pelt_average(pelt, weight);
	pelt->est_unchanged = false;
	return true;
}

/* Nothing queued since then.  Kernel: __update_load_avg_blocked_se(), pelt.c, v6.12. */
static inline bool policy_pelt_decay(struct policy_pelt *pelt, u64 now_ns, u64 weight)
{
	const struct policy_pelt_input in = { .now_ns = now_ns };

	if (!policy_pelt_sums(pelt, &in))
		return false;
	policy_pelt_average(pelt, weight);
	return true;
}

/* Kernel: load_avg_is_decayed(), kernel/sched/fair.c, v6.12. */
static inline bool policy_pelt_is_zero(const struct policy_pelt *pelt)
{
	return !pelt->load_sum && !pelt->util_sum && !pelt->runnable_sum;
}

/* @value - @what, not below zero.  Kernel: sub_positive(), kernel/sched/fair.c, v6.12. */
static inline u64 policy_less(u64 value, u64 what)
{
	return value > what ? value - what : 0;
}

/* @value + @what, not below zero.  Kernel: add_positive(), kernel/sched/fair.c, v6.12. */
static inline u64 policy_plus(u64 value, s64 what)
{
	return what < 0 ? policy_less(value, 0 - (u64)what) : value + (u64)what;
}

/*
 * A sum that goes with @avg is at least that times the least divider.  Until 7.3 the kernel
 * compares in 32 bits, and cuts what is wider.
 * Kernel: update_cfs_rq_load_avg(), kernel/sched/fair.c, v6.12; __update_sa(), v7.3.
 */
static inline u64 policy_pelt_floor(u64 sum, u64 avg, u32 rules)
{
	u64 least = avg * POLICY_PELT_LEAST;

	if (!(rules & POLICY_LOAD_WIDE)) {
		sum = (u32)sum;
		least = (u32)least;
	}
	return sum > least ? sum : least;
}

/* Kernel: enqueue_load_avg(), kernel/sched/fair.c, v6.12 and v7.3. */
static inline void policy_pelt_load_add(struct policy_pelt *queue, const struct policy_pelt *entity,
					u64 weight, u32 rules)
{
	queue->load_avg += entity->load_avg;
	queue->load_sum += weight * entity->load_sum;
	if (rules & POLICY_LOAD_WIDE)
		queue->load_sum = policy_pelt_floor(queue->load_sum, queue->load_avg, rules);
}

/* Kernel: dequeue_load_avg(), kernel/sched/fair.c, v6.12. */
static inline void policy_pelt_load_sub(struct policy_pelt *queue, const struct policy_pelt *entity,
					u64 weight, u32 rules)
{
	queue->load_avg = policy_less(queue->load_avg, entity->load_avg);
	queue->load_sum = policy_less(queue->load_sum, weight * entity->load_sum);
	queue->load_sum = policy_pelt_floor(queue->load_sum, queue->load_avg, rules);
}

/* Its averages join those of the queue.  Kernel: attach_entity_load_avg(), fair.c, v6.12. */
static inline void policy_pelt_attach(struct policy_pelt *queue, struct policy_pelt *entity,
				      u64 weight, u32 rules)
{
	u32 divider = policy_pelt_divider(queue);

	entity->update_ns = queue->update_ns;
	entity->period_contrib = queue->period_contrib;
	entity->util_sum = (u32)entity->util_avg * divider;
	entity->runnable_sum = entity->runnable_avg * divider;
	entity->load_sum = entity->load_avg * divider;
	entity->load_sum = weight < entity->load_sum ? entity->load_sum / weight : 1;

	policy_pelt_load_add(queue, entity, weight, rules);
	queue->util_avg += entity->util_avg;
	queue->util_sum += entity->util_sum;
	queue->runnable_avg += entity->runnable_avg;
	queue->runnable_sum += entity->runnable_sum;
}

/* Kernel: detach_entity_load_avg(), kernel/sched/fair.c, v6.12. */
static inline void policy_pelt_detach(struct policy_pelt *queue, const struct policy_pelt *entity,
				      u64 weight, u32 rules)
{
	policy_pelt_load_sub(queue, entity, weight, rules);
	queue->util_avg = policy_less(queue->util_avg, entity->util_avg);
	queue->util_sum = (u32)policy_pelt_floor(policy_less(queue->util_sum, entity->util_sum),
						 queue->util_avg, rules);
	queue->runnable_avg = policy_less(queue->runnable_avg, entity->runnable_avg);
	queue->runnable_sum = policy_pelt_floor(
		policy_less(queue->runnable_sum, entity->runnable_sum), queue->runnable_avg, rules);
}

/* Averages of tasks that woke up elsewhere since. */
struct policy_pelt_removed {
	u64 load_avg, util_avg, runnable_avg;
	u32 nr;
};

/*
 * They leave the queue.  Returns what is left to be told to the parent, in units of
 * runnable time.  Kernel: update_cfs_rq_load_avg(), kernel/sched/fair.c, v6.12.
 */
static inline s64 policy_pelt_remove(struct policy_pelt *queue,
				     const struct policy_pelt_removed *removed, u32 rules)
{
	u32 divider = policy_pelt_divider(queue);

	queue->load_avg = policy_less(queue->load_avg, removed->load_avg);
	queue->load_sum = policy_pelt_floor(
		policy_less(queue->load_sum, removed->load_avg * divider), queue->load_avg, rules);
	queue->util_avg = policy_less(queue->util_avg, removed->util_avg);
	queue->util_sum = (u32)policy_pelt_floor(
		policy_less(queue->util_sum, removed->util_avg * divider), queue->util_avg, rules);
	queue->runnable_avg = policy_less(queue->runnable_avg, removed->runnable_avg);
	queue->runnable_sum =
		policy_pelt_floor(policy_less(queue->runnable_sum, removed->runnable_avg * divider),
				  queue->runnable_avg, rules);
	return 0 - (s64)((removed->runnable_avg * divider + 1023) >> 10);
}

/* What a reweighted entity has: its history at the new weight. */
static inline void policy_pelt_reweight(struct policy_pelt *entity, u64 weight)
{
	entity->load_avg = weight * entity->load_sum / policy_pelt_divider(entity);
}

/*
 * A group's entity @se, in @queue, follows its own queue @own: its utilisation is that of
 * what is in it.  Kernel: update_tg_cfs_util(), kernel/sched/fair.c, v6.12.
 */
static inline void policy_pelt_follow_util(struct policy_pelt *queue, struct policy_pelt *se,
					   const struct policy_pelt *own, u32 rules)
{
	s64 delta = (s64)(own->util_avg - se->util_avg), delta_sum;
	u32 sum = (u32)own->util_avg * policy_pelt_divider(queue);

	if (!delta)
		return;
	delta_sum = (s64)sum - (s64)se->util_sum;
	se->util_avg = own->util_avg;
	se->util_sum = sum;
	queue->util_avg = policy_plus(queue->util_avg, delta);
	queue->util_sum = (u32)policy_pelt_floor(policy_plus(queue->util_sum, delta_sum),
						 queue->util_avg, rules);
}

/* The same.  Kernel: update_tg_cfs_runnable(), kernel/sched/fair.c, v6.12. */
static inline void policy_pelt_follow_runnable(struct policy_pelt *queue, struct policy_pelt *se,
					       const struct policy_pelt *own, u32 rules)
{
	s64 delta = (s64)(own->runnable_avg - se->runnable_avg), delta_sum;
	u64 sum = own->runnable_avg * policy_pelt_divider(queue);

	if (!delta)
		return;
	delta_sum = (s64)(sum - se->runnable_sum);
	se->runnable_avg = own->runnable_avg;
	se->runnable_sum = sum;
	queue->runnable_avg = policy_plus(queue->runnable_avg, delta);
	queue->runnable_sum = policy_pelt_floor(policy_plus(queue->runnable_sum, delta_sum),
						queue->runnable_avg, rules);
}

/*
 * How long the entity counts as queued after @sum units of runnable time came to (or, if it
 * is negative, left) its own queue @own, whose entities weigh @own_weight: joined ones are
 * taken not to overlap, of those that leave each is taken to run as long as the others.
 * Kernel: the first half of update_tg_cfs_load(), kernel/sched/fair.c, v6.12.
 */
static inline u64 policy_pelt_runnable_sum(const struct policy_pelt *se,
					   const struct policy_pelt *own, s64 sum, u64 own_weight,
					   u32 divider)
{
	u64 running = se->util_sum >> 10, runnable;

	if (sum >= 0) {
		runnable = (u64)sum + se->load_sum;
		if (runnable > divider)
			runnable = divider;
	} else {
		runnable = own_weight ? own->load_sum / own_weight : 0;
		if (runnable > se->load_sum)
			runnable = se->load_sum;
	}
	return runnable > running ? runnable : running;
}

/* It counts as @runnable_sum then.  Kernel: the second half of it. */
static inline void policy_pelt_follow_load(struct policy_pelt *queue, struct policy_pelt *se,
					   u64 weight, u64 runnable_sum, u32 rules)
{
	u64 sum = weight * runnable_sum, avg = sum / policy_pelt_divider(queue);
	s64 delta = (s64)(avg - se->load_avg), delta_sum;

	if (!delta)
		return;
	delta_sum = (s64)(sum - weight * se->load_sum);
	se->load_sum = runnable_sum;
	se->load_avg = avg;
	queue->load_avg = policy_plus(queue->load_avg, delta);
	queue->load_sum =
		policy_pelt_floor(policy_plus(queue->load_sum, delta_sum), queue->load_avg, rules);
}

/*
 * A new task's utilisation, before it joins @queue: like what is there, by weight, but at
 * most half of what is left of the CPU's @capacity.  Without POLICY_LOAD_NEW_COARSE @weight is
 * by mistake the one of full resolution, so that the bound decides.
 * Kernel: post_init_entity_util_avg(), kernel/sched/fair.c, v6.1 and v6.12.
 */
static inline void policy_pelt_new(struct policy_pelt *entity, const struct policy_pelt *queue,
				   u64 weight, u64 capacity)
{
	u64 most = policy_less(capacity, queue->util_avg) / 2;

	if (most) {
		u64 util =
			queue->util_avg ? queue->util_avg * weight / (queue->load_avg + 1) : most;

		entity->util_avg = util < most ? util : most;
	}
	entity->runnable_avg = entity->util_avg;
}

/* Kernel: _task_util_est(), kernel/sched/fair.c, v6.1 and v6.12. */
static inline u64 policy_util_est(const struct policy_pelt *pelt)
{
	return pelt->est > pelt->est_ewma ? pelt->est : pelt->est_ewma;
}

/* A quarter of the way from @est to @util. */
static inline u32 policy_est_step(u32 est, s64 util)
{
	return (u32)((((s64)est << 2) + (util - (s64)est)) >> 2);
}

/*
 * A task goes to sleep: its estimate of what it needs rises at once, and falls slowly.
 * @capacity: of its CPU.  Kernel: util_est_update(), kernel/sched/fair.c, v6.12 and v7.3.
 */
static inline void policy_util_est_one(struct policy_pelt *pelt, u64 capacity, u32 rules)
{
	u32 util = (u32)pelt->util_avg;

	if (pelt->est_unchanged)
		return;
	if (pelt->est <= util) {
		pelt->est = util;
	} else if (pelt->est - util >= POLICY_EST_MARGIN) {
		if ((rules & POLICY_LOAD_EST_BOUND) && util > capacity)
			return; /* there was no idle time: it may want more */
		if (util + POLICY_EST_MARGIN >= pelt->runnable_avg)
			pelt->est = policy_est_step(pelt->est, util);
	}
	pelt->est_unchanged = true;
}

static inline bool policy_est_near(s64 difference)
{
	return difference < POLICY_EST_MARGIN && difference > -POLICY_EST_MARGIN;
}

/*
 * The same with two values: what it used last, and an average of that.
 * Kernel: util_est_update(), kernel/sched/fair.c, v6.1.
 */
static inline void policy_util_est_two(struct policy_pelt *pelt, u64 capacity,
				       const struct policy_features *features)
{
	u32 last = pelt->est, util = (u32)pelt->util_avg;
	s64 difference;

	if (pelt->est_unchanged)
		return;
	difference = (s64)util - (s64)pelt->est_ewma;
	if (policy_feature(features, POLICY_UTIL_EST_FASTUP) && difference > 0) {
		pelt->est_ewma = util;
	} else if (policy_est_near(difference)) {
		if (policy_est_near((s64)last - (s64)util))
			return;
	} else {
		if (util > capacity)
			return;
		pelt->est_ewma = policy_est_step(pelt->est_ewma, util);
	}
	pelt->est = util;
	pelt->est_unchanged = true;
}

/*
 * Has a queue's @avg moved away from @told, its part of the group's sum, by enough?
 * Kernel: update_tg_load_avg(), kernel/sched/fair.c, v6.12.
 */
static inline bool policy_tg_moved(u64 avg, u64 told)
{
	u64 apart = avg > told ? avg - told : told - avg;

	return apart > told / 64;
}

#endif
