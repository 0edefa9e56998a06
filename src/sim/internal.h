/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal - what the files of sim/ share.
 *
 * One file each: loop (time), cpu (who runs), program (what tasks do), sync (what they
 * wait for), wakeup (where they run), balance, and a class per queue kind.
 *
 * The code always runs on some CPU, sim.here, as the kernel's does: interrupts and
 * system calls.  Nothing acts on another CPU at once; it sends an interrupt.
 */
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#include "base/bits.h"
#include "base/heap.h"
#include "base/vec.h"
#include "machine/domains.h"
#include "policy/cfs.h"
#include "policy/deadline.h"
#include "policy/flat.h"
#include "policy/pelt.h"
#include "policy/schedutil.h"
#include "policy/server.h"
#include "policy/uclamp.h"
#include "sim/balance.h"
#include "sim/cache.h"
#include "sim/sim.h"
#include "sim/sums.h"

struct sim;
struct sim_cpu;
struct sim_idle;
struct sim_task;
struct sim_queue;

/* What can happen next on a CPU by itself. */
enum sim_timer {
	SIM_TIMER_TICK,      /* the periodic tick */
	SIM_TIMER_DONE,      /* the running task's work ends */
	SIM_TIMER_IPI,       /* an interrupt from another CPU arrives */
	SIM_TIMER_IDLE_EXIT, /* the idle task is ready to call the scheduler */
	SIM_TIMER_IDLE_POLL, /* it has polled for long enough */
	SIM_TIMER_HRTIMER,   /* the first of the CPU's sleep timers */
	SIM_TIMER_RT_PERIOD, /* a period of realtime throttling ends */
	SIM_TIMER_HRTICK,    /* the running task's slice ends */
	SIM_TIMER_BANDWIDTH, /* the first of the groups' timers that were started here */
	SIM_TIMER_FAIR_SERVER,
	SIM_TIMER_CHANGE,   /* the machine changes */
	SIM_TIMER_IRQ,      /* an interrupt of a device comes, or has been handled */
	SIM_TIMER_DEADLINE, /* the first of the deadline tasks whose timers were started here */
	SIM_NR_TIMERS
};

#define SIM_NEVER U64_MAX

/* Ties are common (every tick); seq, handed out when it is armed, makes the order total. */
struct sim_when {
	u64 time_ns; /* SIM_NEVER: not armed */
	u64 seq;
};

/* An entity is not a task: it may stand for a group's queue on one CPU. */
struct sim_entity {
	struct policy_entity p;
	struct sim_entity *left, *right;                  /* sim/tree.h */
	u64 key_vns, order;                               /* what the tree is ordered by */
	u64 min_vruntime_vns, min_slice_ns, max_slice_ns; /* of the tree below */
	u32 priority;
	bool on_rq;   /* queued, running included; a delayed one too */
	bool delayed; /* sleeps, but stays queued until it has repaid */
	bool idle;    /* SCHED_IDLE or cpu.idle */
	/* enum policy_identity, of the group that it stands for; 0 unless GROUP_IDENTITY is on */
	u8 identity;
	struct sim_entity *parent; /* NULL at the root queue */
	struct sim_queue *queue;   /* it competes here */
	struct sim_queue *own;     /* a group's; NULL for a task */
	struct sim_task *task;     /* NULL for a group */
	u64 exec_start_ns, sum_exec_ns;
	u64 prev_sum_exec_ns; /* sum_exec when it was last set running */
	u64 load; /* its weight, nice 0 is 2^20; in the flat kind p.weight is the hierarchical one */
	u32 runnable;  /* of a group's, as when that was last told */
	bool attached; /* its averages are in its queue's: not those of an RT task */
	struct policy_pelt pelt;
};

/* One of many that share a timer of a CPU, which is armed for the first of them. */
struct sim_shared_timer {
	struct heap_node node; /* in a heap of the CPU that started it */
	struct sim_when when;
};

struct sim_group_timer {
	struct sim_shared_timer timer; /* in sim_cpu.group_timers */
	struct sim_bandwidth *bandwidth;
};

/* A group's quota, on all CPUs.  Kernel: struct cfs_bandwidth. */
struct sim_bandwidth {
	u64 quota_ns, period_ns, burst_ns;
	u64 pool_ns;   /* not yet given to a queue.  Kernel: runtime */
	u64 refill_ns; /* the next point of its grid of periods; past if the timer is off */
	bool period_active, slack_started;
	bool refilling; /* the period's timer is being handled */
	bool idle;      /* nothing was taken since the last refill */
	struct sim_group_timer period_timer, slack_timer;
	struct sim_queue *first_throttled, *last_throttled; /* in the order of throttling */
};

#define SIM_NO_GROUP 0xffffffffu

/* A cgroup, on all CPUs.  Kernel: struct task_group. */
struct sim_group {
	u32 shares;
	u32 nr_cpus;                      /* that its cpusets leave */
	u8 identity;                      /* enum policy_identity */
	bool expellee;                    /* it or a group above it is underclass */
	u64 load, runnable;               /* averages of its queues, as they last told */
	u32 uclamp[POLICY_NR_UCLAMPS];    /* with those of the groups above */
	u32 parent, first_child, sibling; /* in sim.groups, or SIM_NO_GROUP; the last child first */
	struct sim_bandwidth bandwidth;
};

/* Tasks below a queue.  Kernel: rq.nr_high_running, rq.nr_under_running. */
struct sim_identity_counts {
	u32 high, under;
};

/* GROUP_IDENTITY: the entities of a queue that stand for underclass groups. */
struct sim_under {
	struct sim_entity *root;
	u64 min_vruntime_vns; /* as that of the queue is of the others */
};

/* The fair queue of one (group, CPU).  Kernel: struct cfs_rq. */
struct sim_queue {
	struct sim_cpu *cpu;
	struct policy_avg avg; /* of the tree: the running entity is not in it */
	struct sim_entity *root;
	struct sim_entity *curr, *next_buddy;
	/* CFS: whom a wakeup preempted, and who yielded */
	struct sim_entity *last_buddy, *skip_buddy;
	u64 min_vruntime_vns; /* CFS: where sleepers and newcomers are placed; never goes back */
	u64 load;             /* the weights of all entities, full resolution; h_curr included */
	struct sim_entity *h_curr; /* runs, or a task below it; in the nested kinds curr */
	struct policy_pelt pelt;
	struct policy_pelt_removed removed;
	bool propagate;    /* the entity that stands for it must follow its averages */
	bool leaf;         /* averages decay while nothing is queued.  Kernel: on_list */
	bool pelt_stopped; /* its clock of averages stands, as it is throttled */
	u32 nr_stops;      /* it and those above that are throttled.  Kernel: throttle_count */
	s64 propagate_sum;
	u64 stopped_ns,
		stopped_sum_ns; /* Kernel: throttled_clock_pelt, throttled_clock_pelt_time */
	u64 idle_stopped_ns;    /* Kernel: throttled_pelt_idle */
	u64 told_at_ns, told_load, told_runnable; /* its part of the group's sums, and since when */
	u64 h_load, h_load_tick;                  /* its part of the CPU's load, as of that tick */
	struct sim_entity *entity; /* what stands for it in the parent's queue; NULL: root */
	struct sim_group *group;   /* NULL: root */
	u64 order;
	u32 nr_queued;                  /* entities, the running one and delayed ones included */
	u32 nr_idle;                    /* CFS: SCHED_IDLE ones of those, and cpu.idle groups */
	u32 h_nr_queued;                /* tasks below, delayed ones included */
	u32 h_nr_runnable;              /* without them */
	u32 h_nr_idle;                  /* SCHED_IDLE ones */
	struct sim_identity_counts ids; /* GROUP_IDENTITY: of those, by identity */
	struct sim_under under;
	struct sim_bandwidth *bandwidth; /* NULL: no quota */
	s64 remaining_ns;                /* of its slice; below zero it is in debt */
	bool throttled;                  /* it has nothing left, and waits for the pool */
	bool off;                        /* so its entity is not queued, whatever is in it */
	bool unthrottle_pending;         /* in sim_cpu.unthrottle */
	struct sim_queue *throttled_next, *throttled_prev;
	struct sim_task *limbo; /* tasks that were taken off it, the last first: list_next */
};

enum sim_enqueue {
	SIM_ENQUEUE_WAKEUP = 1 << 0,
	SIM_ENQUEUE_INITIAL = 1 << 1,  /* just forked */
	SIM_ENQUEUE_DELAYED = 1 << 2,  /* woken while delayed */
	SIM_ENQUEUE_RESTORE = 1 << 3,  /* back after a change of attributes */
	SIM_ENQUEUE_MIGRATED = 1 << 4, /* from another CPU */
	SIM_ENQUEUE_SYNC = 1 << 5,     /* the waker is about to sleep.  Kernel: WF_SYNC */
	SIM_ENQUEUE_SELECTED = 1 << 6, /* its CPU was chosen.  Kernel: WF_RQ_SELECTED */
};

enum sim_dequeue {
	SIM_DEQUEUE_SLEEP = 1 << 0,
	SIM_DEQUEUE_SPECIAL = 1 << 1,  /* ends: must not be delayed */
	SIM_DEQUEUE_DELAYED = 1 << 2,  /* finish a delayed one */
	SIM_DEQUEUE_SAVE = 1 << 3,     /* comes back at once */
	SIM_DEQUEUE_MOVE = 1 << 4,     /* with that, but perhaps elsewhere */
	SIM_DEQUEUE_THROTTLE = 1 << 5, /* its group has no time left: must not be delayed */
};

#define SIM_RANK_FAIR 1

/* A scheduling class or queue kind.  Kernel: struct sched_class. */
struct sim_class {
	const char *name;
	u32 rank; /* the higher goes first; fair ones: SIM_RANK_FAIR */
	void (*enqueue)(struct sim_cpu *cpu, struct sim_task *task, u32 flags);
	/* false: it stays queued, delayed */
	bool (*dequeue)(struct sim_cpu *cpu, struct sim_task *task, u32 flags);
	struct sim_task *(*pick)(struct sim_cpu *cpu); /* NULL: nothing runnable */
	void (*set_next)(struct sim_cpu *cpu, struct sim_task *task);
	void (*put_prev)(struct sim_cpu *cpu, struct sim_task *task);
	/* from one to another task of this class; put_prev and set_next in one */
	void (*switch_to)(struct sim_cpu *cpu, struct sim_task *prev, struct sim_task *next);
	/* @queued: of SIM_TIMER_HRTICK, not the periodic one */
	void (*tick)(struct sim_cpu *cpu, struct sim_task *task, bool queued);
	/* fair ones: how long it may run from when it was set running, ns */
	u64 (*slice)(const struct sim_task *task);
	bool hrtick_stays; /* the timer that ends slices runs on while tasks are switched */
	void (*update_curr)(struct sim_cpu *cpu);
	void (*wakeup_preempt)(struct sim_cpu *cpu, struct sim_task *task, u32 flags);
	void (*yield)(struct sim_cpu *cpu, struct sim_task *task);
	/* attributes changed while it was off the queue */
	void (*changed)(struct sim_task *task);
	/* it is being born, on its parent's CPU (NULL: no parent); may be NULL */
	void (*fork)(struct sim_task *task, struct sim_task *parent);
	/*
	 * It was the @nth, from 0, that one parent of nice 0 bore while they all waited, and
	 * sleeps; the parent took @birth_ns for each.  May be NULL: it does not matter.
	 */
	void (*settle)(struct sim_task *task, u32 nth, u64 birth_ns);
	/* it wakes, and is about to get another CPU; may be NULL */
	void (*migrate)(struct sim_task *task);
	/* fair ones: a group's entity, because of its quota; false: it is on its queue already */
	void (*dequeue_group)(struct sim_entity *se);
	bool (*enqueue_group)(struct sim_entity *se);
	/* fair ones: what runs in the queue is charged up to now */
	void (*update_queue)(struct sim_queue *queue);
	/* those above the fair ones: the CPU to wake on */
	struct sim_cpu *(*select)(struct sim_task *task);
	/* they find other CPUs for one that was woken here, and for all that wait here */
	void (*woken)(struct sim_cpu *cpu, struct sim_task *task);
	void (*push)(struct sim_cpu *cpu);
};

extern const struct sim_class sim_class_dl;
extern const struct sim_class sim_class_rt;
extern const struct sim_class sim_class_cfs;
extern const struct sim_class sim_class_eevdf_nested;
extern const struct sim_class sim_class_eevdf_flat;
/* By enum policy_queue; NULL: no rules yet. */
extern const struct sim_class *const sim_fair_classes[POLICY_NR_QUEUES];

enum sim_state {
	SIM_BLOCKED,
	SIM_RUNNABLE,
	SIM_DEAD
};

struct sim_task {
	struct sim_entity se;
	struct sim *sim;
	const struct sim_class *class;
	const struct workload_task *def;
	struct event_task id;
	u64 identity;                         /* workload_identity() */
	struct sim_cpu *cpu;                  /* where it is queued, runs, or last ran */
	struct sim_cpu *migrate_to;           /* it must leave its CPU when it is switched out */
	struct sim_cpu *recent;               /* before its last CPU.  Kernel: recent_used_cpu */
	struct policy_wakee wakee;            /* whom it woke */
	u16 migrate_reason;                   /* enum sim_reason of that */
	struct event_cpus *allowed;           /* NULL: all */
	const struct workload_cpus *affinity; /* what it asked for; NULL or none: all */
	u32 nr_allowed;
	u32 place; /* in sim.tasks */

	u8 policy, rt_prio;
	s8 nice;
	u32 cgroup;         /* index + 1; 0: the root */
	u64 asked_slice_ns; /* before it was clamped; 0: none */
	enum sim_state state;
	bool on_rq;  /* of some class, delayed or not */
	bool remote; /* it changed its CPU on its way to a wakelist.  Kernel: sched_remote_wakeup */
	bool in_iowait;     /* it waits for a device, or has not run since */
	bool counts_iowait; /* in its CPU's nr_iowait */
	bool started;       /* its delay is over, or has begun */
	bool throttle_work; /* on its way to user mode it may be taken off.  Kernel: task_work */
	bool throttled;     /* it was: in its queue's limbo */
	bool cache_work;    /* on its way there it looks where its process runs */
	bool llc_queued; /* in the cache it prefers, as it was queued.  Kernel: pref_llc_queued */
	s32 llc;         /* the cache it prefers; -1: none.  Kernel: preferred_llc */
	struct sim_process *process; /* NULL: nobody asks */

	/* realtime: a ring per priority; deadline: a list by deadline */
	struct sim_task *rt_next, *rt_prev;
	u32 rr_ticks; /* left of its round robin slice */

	s32 uclamp_asked[POLICY_NR_UCLAMPS]; /* -1: nothing */
	u32 uclamp[POLICY_NR_UCLAMPS];       /* while it is counted on its CPU */
	bool uclamp_counted;
	struct policy_dl dl;
	bool dl_queued;                   /* in the list; not if it is throttled */
	struct sim_shared_timer dl_timer; /* its next period; in dl_waiters of dl_timer_cpu */
	struct sim_cpu *dl_timer_cpu;     /* that started it; NULL: not armed */

	/* the CPU's list of queued fair tasks, most recently run first: balancing takes the tail */
	struct sim_task *list_next, *list_prev;
	struct sim_task *moved_next; /* while a balancing pass moves it */

	/* program */
	u32 phase, event, stage;
	s64 phase_left, task_left; /* loops still to do */
	u64 work_left;             /* ns at capacity 1024, times 1024 */
	u64 until_ns;              /* runtime: busy until then */
	u64 start_ns;              /* when its body began: what timers count from */
	bool *phase_changes;       /* per phase: it names an attribute */
	u64 *iterations;           /* per event: the draw's iteration */
	u64 *timer_next_ns;        /* per object: its own timers; 0: not started */
	u64 forks;

	/* sleep */
	struct heap_node timer;
	u64 soft_ns, hard_ns, timer_seq;
	struct sim_cpu *timer_cpu;
	struct sim_task *wait_next; /* in the queue of an object */
};

/* A device's interrupts. */
struct sim_irq {
	const struct workload_interrupt *def;
	struct sim_irq *next; /* of the same CPU */
	u32 number;
	u64 identity, count;
	u64 next_ns;     /* when the next one comes */
	u64 handling_ns; /* what those take that came and are not handled yet */
};

/* A CPU's part of SIS_PROP.  Kernel: wake_avg_idle, wake_stamp, sched_domain.avg_scan_cost. */
struct sim_select_cpu {
	u64 idle_ns, idle_at; /* how long it may idle, and as of which jiffy */
	u64 cost_ns;          /* of the searches that started here */
};

struct sim_cpu {
	struct sim *sim;
	u32 id, capacity;
	u32 freq_scale;        /* what the frequency gives of capacity, 1024: all */
	u32 speed;             /* capacity at the frequency it has */
	struct sim_freq *freq; /* NULL: one fixed speed */
	struct policy_io_boost io_boost;
	u64 dl_bandwidth; /* of the deadline tasks queued here, 2^20: a CPU.  Kernel: running_bw */
	u64 dl_heeded;    /* of that, 1024: a CPU, as a frequency was last chosen */
	u64 idle_calls, idle_calls_seen; /* how often it was about to sleep, now and before */
	const struct machine_cpu_domains *domains;
	struct sim_task *curr, *idle;    /* curr == idle: idle */
	u64 pelt_ns, lost_idle_ns;       /* the clock of load averages: sim/track.h */
	u64 idle_clock_ns, idle_pelt_ns; /* both clocks as it was last idle */
	struct policy_pelt rt_load, dl_load, irq_load;
	struct policy_pelt pressure_load; /* the average of hardware_pressure; to 6.9 of both */
	u64 pressure; /* what its clock's limit takes of capacity.  Kernel: cpufreq_pressure */
	u64 hardware_pressure; /* what the hardware's does.  Kernel: hw_pressure */
	u64 free_capacity;     /* what these leave.  Kernel: rq.cpu_capacity */
	const struct sim_class *fair;
	struct sim_queue root;
	u32 nr_running; /* all classes, delayed included.  Kernel: rq.nr_running */
	bool need_resched;
	bool changed;           /* since sums were last read */
	bool need_resched_lazy; /* from its own next interrupt, system call or tick on */
	/*
	 * The clock that execution is charged by, read whenever the queue is worked on, but not
	 * by the switch that a wakeup asked for: what lies between is charged to the wakee.
	 * Kernel: rq.clock_task, rq_clock_skip_update(), kernel/sched/core.c, v6.12.
	 */
	u64 clock_ns;
	bool clock_skip;
	u64 irq_off_ns; /* IRQ_TIME_ACCOUNTING: how far that clock is behind */
	struct sim_irq *irqs;
	u64 irq_end_ns;  /* when those that came have been handled; SIM_NEVER: none is */
	u16 pick_reason; /* enum sim_reason of the last pick, for decision events */
	bool active;     /* not offline, nor on its way there.  Kernel: cpu_active_mask */
	bool tick_running, in_idle;
	bool idle_tick;            /* a tick hit the idle task */
	struct sim_idle *governed; /* idle.h; NULL: no choice of idle states */
	u64 exit_latency_ns;       /* of the state it sleeps in */
	u32 nr_iowait;   /* who ran here last and waits for a device, but none that is delayed */
	u64 misfit_load; /* of the running task, if it wants more than the CPU has; else 0 */

	struct sim_when timers[SIM_NR_TIMERS];
	struct sim_when first;  /* of the timers */
	u32 armed, first_timer; /* armed: bit per timer */
	struct heap sleepers;
	struct heap group_timers;

	/* the running task burns cost first, then its own work; both as of mark_ns */
	u64 mark_ns, cost_left_ns;
	u64 cost_sum_ns[EVENT_NR_COSTS], cost_told_ns;
	u64 wavered;  /* how many costs were drawn */
	bool picking; /* the scheduler has begun, and the switch is not seen yet */

	struct sim_task *dl_first; /* by deadline, the running one included */
	u32 dl_nr;
	struct heap dl_waiters;
	struct sim_task *rt_first[100]; /* by priority, 1..99 */
	u64 rt_queued[2];               /* bit per priority that has a task */
	u32 rt_nr;
	u64 rt_runtime_ns; /* what they may have; RT_RUNTIME_SHARE moves it between CPUs */
	u64 rt_time_ns;    /* of realtime tasks, less a runtime for each period */
	bool rt_throttled; /* rt_nr is not in nr_running */
	bool push_asked;   /* RT_PUSH_IPI: an interrupt is on its way */
	u32 distribute;    /* the last CPU it found for a task.  Kernel: distribute_cpu_mask_prev */
	struct policy_server server;
	struct policy_uclamp uclamp;
	u64 hrtick_ns;     /* what SIM_TIMER_HRTICK was last asked for */
	bool hrtick_asked; /* by another CPU; not armed yet */
	struct sim_task *fair_head, *fair_tail;
	struct sim_cpu *changed_next;
	struct sim_cpu_balance lb;
	struct sim_cpu_cache cache;
	struct sim_select_cpu select;

	VEC(struct sim_task *) wakelist;    /* woken from elsewhere, to be queued here */
	VEC(struct sim_queue *) unthrottle; /* have time again, to be unthrottled here */
};

/* What the choice of CPUs keeps: sim/select.h. */
struct sim_select {
	const struct policy_select_rules *rules;
	bool *idle_cores; /* by llc_id: some core may be wholly idle.  Kernel: has_idle_cores */
	u64 *skip;        /* bit per CPU: what a search need not look at any more */
	u64 *idle;        /* bit per CPU, see sim_idle_changed() */
	u64 *idle_policy; /* bit per CPU: all its tasks are SCHED_IDLE */
};

/* In the order of arrival. */
struct sim_waiters {
	struct sim_task *first, *last;
};

struct sim_object {
	struct sim_task *owner;     /* mutex */
	struct sim_waiters waiters; /* pipe: readers */
	struct sim_waiters writers; /* pipe */
	u32 count;                  /* semaphore: value; barrier: how many wait; pipe: messages */
	u64 next_ns;                /* shared timer */
};

/* Events are handed over this many at a time: 4 KiB, which stay in the cache. */
#define SIM_TOLD_AT_ONCE 64

struct sim {
	const struct sim_setup *setup;
	struct policy_features features;
	const struct policy_rules *rules; /* the release's */
	bool parity;           /* the running entity's protection counts when one is picked */
	bool rt_period_active; /* SIM_TIMER_RT_PERIOD is armed, on some CPU */
	bool push_asked;       /* RT_PUSH_IPI: CPUs are being asked, one after the other */
	u64 dl_total;          /* bandwidth of deadline tasks and servers, 2^20 for a CPU */
	u64 dl_servers;        /* of that, the servers' */
	u64 dl_capacity;       /* of all CPUs */
	struct policy_cfs cfs; /* release 6.1's constants */
	struct event_sink sink;
	enum err_code stop; /* what a sink answered, or our own refusal, told in err */
	struct err *err;
	u32 nr_told, told_at_once; /* told_at_once: SIM_TOLD_AT_ONCE, or 1 if a probe looks on */
	u32 steps_now;             /* program steps since now_ns last moved */
	u64 now_ns, seq, timer_seq, tick_ns, base_slice_ns, serial;
	u64 sees;
	/*
	 * A tournament of the CPUs by their first timer: [1] is the winner, [i] that of [2i]
	 * and [2i + 1]; the CPUs are the leaves, padded with one that never has anything.
	 */
	struct sim_cpu **winners;
	u32 nr_leaves;
	struct sim_cpu nobody;
	struct sim_cpu *cpus, *here;
	u32 nr_cpus;
	struct machine_domains domains;
	struct sim_balance balance;
	struct sim_caches caches;
	struct sim_all_sums sums;
	struct sim_select select;
	VEC(struct sim_task *) tasks;
	u32 alive;
	s32 last_tid;
	u32 nr_offline;
	size_t changes_done;                  /* of the workload's */
	const struct workload_cpus **cpusets; /* per group, as they are now; NULL: all */
	struct sim_object *objects;
	struct sim_entity *group_entities; /* [cgroup * nr_cpus + cpu] */
	struct sim_queue *group_queues;
	struct sim_group *groups;
	struct sim_irq *irqs; /* as workload.interrupts */
	bool has_quotas;
	bool identities;   /* GROUP_IDENTITY: identities of groups count */
	bool clamps;       /* of utilisation are in use */
	u32 nr_throttled;  /* queues */
	bool tracks;       /* load averages, since something may read them */
	bool limits;       /* of clocks may change */
	bool contrib;      /* PELT_CONTRIB */
	bool schedutil;    /* frequencies go by utilisation */
	bool energy;       /* wakeups go by an energy model */
	bool overutilized; /* some CPU is too full for that.  Kernel: root_domain.overutilized */
	struct event told[SIM_TOLD_AT_ONCE];
};

/* loop.c */
void sim_timers_init(struct sim *sim);
void sim_timer_moved(struct sim_cpu *cpu);

/* Of the CPU the code runs on, the order is put right once, when its handler is over. */
static inline void sim_timer_arm(struct sim_cpu *cpu, enum sim_timer timer, u64 time_ns)
{
	assert(time_ns >= cpu->sim->now_ns);
	cpu->timers[timer] = (struct sim_when){ time_ns, ++cpu->sim->timer_seq };
	cpu->armed |= 1u << timer;
	if (cpu != cpu->sim->here)
		sim_timer_moved(cpu);
}

static inline void sim_timer_clear(struct sim_cpu *cpu, enum sim_timer timer)
{
	cpu->timers[timer].time_ns = SIM_NEVER;
	cpu->armed &= ~(1u << timer);
}

static inline void sim_timer_cancel(struct sim_cpu *cpu, enum sim_timer timer)
{
	sim_timer_clear(cpu, timer);
	if (cpu != cpu->sim->here)
		sim_timer_moved(cpu);
}
static inline bool sim_timer_armed(const struct sim_cpu *cpu, enum sim_timer timer)
{
	return cpu->timers[timer].time_ns != SIM_NEVER;
}
void sim_loop(struct sim *sim);
/*
 * shared_timer.c: @timer of @cpu stands for those in @heap.  start, of the CPU the code runs
 * on, arms it; expired gives the first whose time has come, taken out, or NULL, and arms it
 * for those that are left; move hands all of them on to another CPU.
 */
void sim_shared_start(struct sim_cpu *cpu, struct heap *heap, enum sim_timer timer,
		      struct sim_shared_timer *shared, u64 time_ns);
void sim_shared_cancel(struct sim_cpu *cpu, struct heap *heap, enum sim_timer timer,
		       struct sim_shared_timer *shared);
struct sim_shared_timer *sim_shared_expired(struct sim_cpu *cpu, struct heap *heap,
					    enum sim_timer timer);
void sim_shared_move(struct sim_cpu *from, struct heap *heap, struct sim_cpu *to,
		     struct heap *to_heap, enum sim_timer timer);

/* cpu.c */
void sim_cpu_resched(struct sim_cpu *cpu);
void sim_cpu_set_speed(struct sim_cpu *cpu, u32 speed);
void sim_cpu_resched_lazy(struct sim_cpu *cpu);
void sim_cpu_to_user(struct sim_cpu *cpu);
void sim_cpu_ipi(struct sim_cpu *cpu);
void sim_cpu_irq_end(struct sim_cpu *cpu);
void sim_cpu_irq_idle(struct sim_cpu *cpu);
void sim_cpu_run(struct sim_cpu *cpu);
void sim_cpu_advance(struct sim_cpu *cpu);
void sim_cpu_tick(struct sim_cpu *cpu);
void sim_cpu_idle_exit(struct sim_cpu *cpu);
void sim_cpu_tell_costs(struct sim_cpu *cpu);
u64 sim_cpu_waver(struct sim_cpu *cpu, u64 ns);
u64 sim_tick_after(const struct sim *sim, u64 time_ns);
/* What the running task got done since mark_ns: first the kernel's costs, then its own work. */
static inline void sim_cpu_account(struct sim_cpu *cpu)
{
	if (cpu->mark_ns != cpu->sim->now_ns)
		sim_cpu_advance(cpu);
}
/* track.c */
void sim_track_clock(struct sim_cpu *cpu, u64 delta_ns);
/* Without the time of interrupts, where that is told apart. */
static inline void sim_set_clock(struct sim_cpu *cpu, u64 time_ns)
{
	u64 delta_ns;

	time_ns -= cpu->irq_off_ns;
	if (time_ns <= cpu->clock_ns)
		return;
	delta_ns = time_ns - cpu->clock_ns;
	cpu->clock_ns = time_ns;
	if (cpu->sim->tracks)
		sim_track_clock(cpu, delta_ns);
}
/* Kernel: update_rq_clock(). */
static inline void sim_read_clock(struct sim_cpu *cpu)
{
	sim_set_clock(cpu, cpu->sim->now_ns);
}
/*
 * By a wakeup: what the interrupt or the call that makes it has cost so far comes before.  It
 * is charged to who runs.
 */
static inline void sim_read_clock_late(struct sim_cpu *cpu)
{
	u64 busy_ns = cpu->mark_ns + cpu->cost_left_ns;

	if (cpu == cpu->sim->here && cpu->cost_left_ns && busy_ns > cpu->sim->now_ns)
		sim_set_clock(cpu, busy_ns);
	else
		sim_read_clock(cpu);
}
/* The same with interrupts: what deadlines are counted by.  Kernel: rq_clock(). */
static inline u64 sim_rq_clock(const struct sim_cpu *cpu)
{
	return cpu->clock_ns + cpu->irq_off_ns;
}
/* The kernel's own work on @cpu: it delays the running task, or the way out of idle. */
static inline void sim_cpu_cost(struct sim_cpu *cpu, enum event_cost what, u64 ns)
{
	if (!ns)
		return;
	if (cpu->sim->setup->machine->costs.waver_ns)
		ns = sim_cpu_waver(cpu, ns);
	sim_cpu_account(cpu);
	cpu->cost_sum_ns[what] += ns;
	cpu->cost_left_ns += ns;
}
/* The running task calls the kernel to wait or to wake. */
static inline void sim_syscall(struct sim *sim)
{
	sim_cpu_cost(sim->here, EVENT_COST_SYSCALL, sim->setup->machine->costs.syscall_ns);
}
/* Something of what sums.h keeps of the CPU is about to change, or has just changed. */
static inline void sim_changed(struct sim_cpu *cpu)
{
	if (cpu->changed)
		return;
	cpu->changed = true;
	cpu->changed_next = cpu->sim->sums.changed;
	cpu->sim->sums.changed = cpu;
}
/* Ticks since the beginning.  Kernel: jiffies. */
static inline u64 sim_jiffies(const struct sim *sim)
{
	return sim->now_ns / sim->tick_ns;
}
/* Kernel: arch_asym_cpu_priority(). */
static inline u32 sim_cpu_priority(const struct sim_cpu *cpu)
{
	return cpu->sim->setup->machine->cpus[cpu->id].priority;
}
static inline bool sim_cpu_is_idle(const struct sim_cpu *cpu)
{
	return cpu->curr == cpu->idle && !cpu->nr_running && !cpu->wakelist.nr;
}
/* Only SCHED_IDLE tasks are on it.  Kernel: sched_idle_cpu(). */
static inline bool sim_cpu_only_idle_policy(const struct sim_cpu *cpu)
{
	return cpu->nr_running && cpu->nr_running == cpu->root.h_nr_idle;
}
/* What these two say of the CPU may have changed. */
static inline void sim_idle_changed(struct sim_cpu *cpu)
{
	sim_changed(cpu);
	bits_set(cpu->sim->select.idle, cpu->id, sim_cpu_is_idle(cpu));
	bits_set(cpu->sim->select.idle_policy, cpu->id, sim_cpu_only_idle_policy(cpu));
}
/* Kernel: add_nr_running(), sub_nr_running(), kernel/sched/sched.h, v6.12. */
static inline void sim_add_nr_running(struct sim_cpu *cpu, u32 nr)
{
	u32 was = cpu->nr_running;

	cpu->nr_running += nr;
	sim_changed(cpu);
	if (!was || cpu->root.h_nr_idle)
		sim_idle_changed(cpu);
	if (was < 2 && cpu->nr_running >= 2)
		cpu->sim->balance.overloaded = true;
}
static inline void sim_sub_nr_running(struct sim_cpu *cpu, u32 nr)
{
	cpu->nr_running -= nr;
	sim_changed(cpu);
	if (!cpu->nr_running || cpu->root.h_nr_idle)
		sim_idle_changed(cpu);
}

/* idle.c */
void sim_idle_init(struct sim_cpu *cpu);
void sim_idle_fini(struct sim_cpu *cpu);
void sim_idle_enter(struct sim_cpu *cpu);
void sim_idle_again(struct sim_cpu *cpu);
void sim_idle_leave(struct sim_cpu *cpu);
bool sim_idle_wakes(struct sim_cpu *cpu, enum sim_timer timer);
void sim_tick_start(struct sim_cpu *cpu);

/* sim.c */
void sim_domains_build(struct sim *sim, const u64 *active);

/* hotplug.c */
enum err_code sim_changes_check(const struct sim_setup *setup, struct err *err);
void sim_changes_start(struct sim *sim);
void sim_change_interrupt(struct sim_cpu *cpu);
void sim_hotplug_schedule(struct sim_cpu *cpu);
void sim_hotplug_dead(struct sim_cpu *cpu);
struct sim_cpu *sim_fallback_cpu(const struct sim_task *task);

/* task.c */
bool sim_task_allow(struct sim_task *task);
u32 sim_cpuset_size(const struct sim *sim, s64 group);
/* The CPUs that are active; the caller frees them. */
struct event_cpus *sim_active_mask(const struct sim *sim);
struct sim_task *sim_task_new(struct sim *sim, const struct workload_task *def, u32 instance,
			      struct sim_task *parent);
void sim_task_set_cpu(struct sim_task *task, struct sim_cpu *cpu);
void sim_task_start(struct sim_task *task, const struct sim_task *parent);
void sim_task_first(struct sim_task *task);
/* Those of a settled run go to sleep until it begins. */
void sim_settle(struct sim *sim);
void sim_task_set_attr(struct sim_task *task, const struct workload_attr *attr);
void sim_task_free(struct sim_task *task);
void sim_activate(struct sim_cpu *cpu, struct sim_task *task, u32 flags);
bool sim_deactivate(struct sim_cpu *cpu, struct sim_task *task, u32 flags);
static inline bool sim_allowed(const struct sim_task *task, u32 cpu)
{
	return !task->allowed || (bits_has(task->allowed->words, cpu));
}
/* -1, 99 - rt_prio, or 120 + nice.  Kernel: __normal_prio(), kernel/sched/core.c, v6.12. */
static inline s32 sim_prio(const struct sim_task *task)
{
	if (task->policy == EVENT_POLICY_DEADLINE)
		return -1;
	return task->rt_prio ? 99 - task->rt_prio : 120 + task->nice;
}

/* deadline.c */
void sim_dl_cpus_changed(struct sim *sim);
void sim_dl_move_timers(struct sim_cpu *from, struct sim_cpu *to);
void sim_dl_set(struct sim_task *task, const struct policy_dl *values);
enum err_code sim_dl_check(const struct workload *workload, const struct workload_attr *attr,
			   const char *task, struct err *err);
enum err_code sim_dl_admit(struct sim_task *task, const struct policy_dl *values);
struct sim_task *sim_dl_pick(struct sim_cpu *cpu);
void sim_dl_interrupt(struct sim_cpu *cpu);

/* push.c */
void sim_pull(struct sim_cpu *cpu, const struct sim_class *class, s32 prio);
void sim_push_ipi(struct sim_cpu *cpu);

/* rt_throttle.c */
void sim_rt_throttle_init(struct sim *sim);
void sim_rt_throttle_cpu(struct sim_cpu *cpu, bool online);
void sim_rt_period_start(struct sim *sim);
void sim_rt_account(struct sim_cpu *cpu, u64 ns);
void sim_rt_account_dl(struct sim_cpu *cpu, u64 ns);
void sim_rt_period_interrupt(struct sim_cpu *cpu);

/* fair_server.c */
void sim_server_init(struct sim *sim);
void sim_server_idle(struct sim_cpu *cpu);
void sim_server_start(struct sim_cpu *cpu);
void sim_server_update(struct sim_cpu *cpu, u64 ran_ns);
struct sim_task *sim_server_pick(struct sim_cpu *cpu);
void sim_server_interrupt(struct sim_cpu *cpu);
void sim_server_stop(struct sim_cpu *cpu);

/* hrtick.c */
void sim_hrtick_start(struct sim_cpu *cpu, struct sim_task *task);
void sim_hrtick_start_dl(struct sim_cpu *cpu, const struct sim_task *task);
void sim_hrtick_update(struct sim_cpu *cpu);
void sim_hrtick_schedule(struct sim_cpu *cpu);
void sim_hrtick_scheduled(struct sim_cpu *cpu, struct sim_task *next);
void sim_hrtick_ipi(struct sim_cpu *cpu);
void sim_hrtick_interrupt(struct sim_cpu *cpu);

/* bandwidth.c; what the queue kinds call is in bandwidth.h */
enum err_code sim_bandwidth_check(const struct workload *workload,
				  const struct workload_cgroup *group, struct err *err);
void sim_bandwidth_start(struct sim *sim);
void sim_bandwidth_interrupt(struct sim_cpu *cpu);
void sim_bandwidth_run(struct sim_cpu *cpu);
void sim_bandwidth_to_user(struct sim_cpu *cpu);
void sim_bandwidth_cpu(struct sim_cpu *cpu, bool online);
void sim_bandwidth_rebuilt(struct sim *sim);
void sim_bandwidth_move_timers(struct sim_cpu *from, struct sim_cpu *to);

/* irq.c */
void sim_irq_start(struct sim *sim);
void sim_irq_interrupt(struct sim_cpu *cpu);
void sim_irq_move(struct sim_cpu *from, struct sim_cpu *to);

/* uclamp.c; what its callers need besides is in uclamp.h */
void sim_uclamp_init(struct sim *sim);

/* rt.c */
u32 sim_rr_ticks(const struct sim *sim);

/* program.c */
enum sim_step {
	SIM_STEP_BUSY,    /* it has CPU work to do */
	SIM_STEP_BLOCKED, /* it must be switched out */
	SIM_STEP_DONE,    /* its program is over */
	SIM_STEP_NEXT,    /* one event is over */
};
enum sim_step sim_program_step(struct sim_task *task, bool in_kernel);
void sim_program_init(struct sim_task *task);

/* sync.c: an event on an object; SIM_STEP_NEXT or SIM_STEP_BLOCKED */
enum sim_step sim_sync(struct sim_task *task, const struct workload_event *event);

/* sleep.c */
void sim_sleep_until(struct sim_task *task, u64 time_ns);
void sim_hrtimer_interrupt(struct sim_cpu *cpu);
void sim_run_sleepers(struct sim_cpu *cpu);
void sim_sleepers_move(struct sim_cpu *from, struct sim_cpu *to);

/* select_idle.c */
void sim_select_init(struct sim *sim);
void sim_select_fini(struct sim *sim);
/* The CPU goes idle, on a machine whose cores have threads.  Kernel: update_idle_core(). */
void sim_select_idles(struct sim_cpu *cpu);

/* wakeup.c */
void sim_wake(struct sim_task *task);
void sim_wake_sync(struct sim_task *task);
void sim_wakelist_run(struct sim_cpu *cpu);
void sim_place_new(struct sim_task *task, const struct sim_task *parent);
void sim_exec(struct sim_task *task);
struct sim_cpu *sim_first_allowed(struct sim_task *task);
void sim_preempt_check(struct sim_cpu *cpu, struct sim_task *task, u32 flags);

enum sim_rule {
#define EVENT_RULE(id, name) SIM_RULE_##id,
#include "events/rules.def"
};
enum sim_reason {
#define EVENT_REASON(id, name, what) SIM_REASON_##id,
#include "events/rules.def"
};

/* emit.c */
void sim_emit_decision(struct sim *sim, struct sim_task *task, enum sim_rule rule,
		       enum sim_reason reason, const struct sim_cpu *chosen);
/* Says which rule decided, if anybody asked. */
static inline void sim_decide(struct sim *sim, struct sim_task *task, enum sim_rule rule,
			      enum sim_reason reason, const struct sim_cpu *chosen)
{
	if (sim->setup->explain)
		sim_emit_decision(sim, task, rule, reason, chosen);
}
void sim_emit(struct sim *sim, const struct event *event);
void sim_emit_flush(struct sim *sim);
void sim_emit_switch(struct sim_cpu *cpu, struct sim_task *prev, u32 prev_state,
		     struct sim_task *next);
void sim_emit_wake(struct sim *sim, enum event_kind kind, struct sim_task *task,
		   struct sim_task *waker);
void sim_emit_migrate(struct sim *sim, struct sim_task *task, u32 from, u32 to);
void sim_emit_runtime(struct sim *sim, struct sim_task *task, u64 runtime_ns);
void sim_emit_idle(struct sim_cpu *cpu, u32 state);
void sim_emit_birth(struct sim_task *task, struct sim_task *parent);
void sim_emit_attr(struct sim_task *task);
void sim_emit_exit(struct sim_task *task);
void sim_emit_mark(struct sim_task *task, const struct workload_event *event, u64 id);

#endif
