/* SPDX-License-Identifier: GPL-2.0-only */
#include "machine/domains.h"

#include <stdio.h>

#include "base/mem.h"
#include "test.h"

static void build(struct machine_domains *domains, struct machine *machine, const char *name)
{
	static const struct machine_domain_setup plain;

	CHECK(!machine_named(machine, name, NULL));
	machine_domains_build(domains, machine, &plain);
}

static void fini(struct machine_domains *domains, struct machine *machine)
{
	machine_domains_fini(domains);
	machine_fini(machine);
}

/* "MC 0-3: 3|0|1|2": level, first and last CPU, and the groups' CPUs in the order of the ring. */
static void describe(const struct machine_domains *domains, u32 cpu, char *text, size_t size)
{
	const struct machine_cpu_domains *of = &domains->cpus[cpu];
	size_t len = 0;

	*text = 0;
	for (u32 i = 0; i < of->nr; i++) {
		const struct machine_domain *domain = of->at[i];

		len += (size_t)snprintf(text + len, size - len, "%s%s %u:", i ? "; " : "",
					domain->name, domain->nr_cpus);
		for (u32 g = 0; g < domain->nr_groups; g++)
			for (u32 k = 0; k < domain->groups[g].nr_cpus; k++)
				len += (size_t)snprintf(text + len, size - len, "%c%u",
							k   ? ','
							: g ? '|'
							    : ' ',
							domain->groups[g].cpus[k]);
	}
}

/*
 * By hand from the presets: one-CPU levels vanish, and so does PKG where it spans what the
 * cache spans.  The ring begins with the group of the span's last CPU.
 */
TEST(presets_have_the_domains_of_their_shape)
{
	static const struct {
		const char *name;
		u32 cpu;
		const char *want;
	} rows[] = {
		{ "1", 0, "" },
		{ "2", 1, "MC 2: 1|0" },
		{ "4", 0, "MC 4: 3|0|1|2" },
		{ "smt", 5, "SMT 2: 5|1; MC 8: 3,7|0,4|1,5|2,6" },
		{ "2-socket", 3,
		  "MC 8: 7|0|1|2|3|4|5|6; "
		  "NUMA 16: 8,9,10,11,12,13,14,15|0,1,2,3,4,5,6,7" },
		{ "2-socket", 8,
		  "MC 8: 15|8|9|10|11|12|13|14; "
		  "NUMA 16: 8,9,10,11,12,13,14,15|0,1,2,3,4,5,6,7" },
		{ "juno-r2", 1, "MC 2: 2|1; PKG 6: 0,3,4,5|1,2" },
		{ "juno-r2", 4, "MC 4: 5|0|3|4; PKG 6: 0,3,4,5|1,2" },
		{ "soc18", 0, "MC 2: 1|0; PKG 18: 14,15,16,17|0,1|2,3,4,5|6,7,8,9|10,11,12,13" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct machine_domains domains;
		char text[256];

		build(&domains, &machine, rows[i].name);
		describe(&domains, rows[i].cpu, text, sizeof(text));
		CHECK_STR(rows[i].want, text, "%s, CPU %u", rows[i].name, rows[i].cpu);
		fini(&domains, &machine);
	}
}

/* Kernel: sd_init(), kernel/sched/topology.c, v6.12; intervals are CPUs as ms, twice that at most. */
TEST(levels_have_the_kernels_constants)
{
	static const struct {
		const char *name;
		u32 at, min_ms, max_ms, pct, tries;
	} rows[] = {
		{ "smt", 0, 2, 4, 110, 0 },       { "smt", 1, 8, 16, 117, 1 },
		{ "2-socket", 0, 8, 16, 117, 1 }, { "2-socket", 1, 16, 32, 117, 2 },
		{ "soc18", 1, 18, 36, 117, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct machine_domains domains;
		const struct machine_domain *domain;

		build(&domains, &machine, rows[i].name);
		domain = domains.cpus[0].at[rows[i].at];
		CHECK_EQ(rows[i].min_ms, domain->min_interval_ms, "row %zu", i);
		CHECK_EQ(rows[i].max_ms, domain->max_interval_ms, "row %zu", i);
		CHECK_EQ(rows[i].pct, domain->imbalance_pct, "row %zu", i);
		CHECK_EQ(rows[i].tries, domain->cache_nice_tries, "row %zu", i);
		CHECK_EQ(16u, domain->busy_factor);
		fini(&domains, &machine);
	}
}

#define BALANCE                                                                           \
	(MACHINE_SD_BALANCE_NEWIDLE | MACHINE_SD_BALANCE_FORK | MACHINE_SD_BALANCE_EXEC | \
	 MACHINE_SD_WAKE_AFFINE)
#define ASYM (MACHINE_SD_ASYM_CPUCAPACITY | MACHINE_SD_ASYM_CPUCAPACITY_FULL)

TEST(flags_say_what_is_shared)
{
	static const struct {
		const char *name;
		u32 at, flags;
	} rows[] = {
		{ "smt", 0,
		  BALANCE | MACHINE_SD_SHARE_CPUCAPACITY | MACHINE_SD_SHARE_LLC |
			  MACHINE_SD_PREFER_SIBLING },
		{ "smt", 1, BALANCE | MACHINE_SD_SHARE_LLC | MACHINE_SD_PREFER_SIBLING },
		{ "2-socket", 1, BALANCE | MACHINE_SD_NUMA | MACHINE_SD_SERIALIZE },
		{ "juno-r2", 0, BALANCE | MACHINE_SD_SHARE_LLC }, /* its parent is asymmetric */
		{ "juno-r2", 1, BALANCE | ASYM | MACHINE_SD_PREFER_SIBLING },
		{ "soc18", 1, BALANCE | MACHINE_SD_PREFER_SIBLING },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct machine_domains domains;

		build(&domains, &machine, rows[i].name);
		CHECK_EQ(rows[i].flags, domains.cpus[0].at[rows[i].at]->flags, "%s, %u",
			 rows[i].name, rows[i].at);
		fini(&domains, &machine);
	}
}

TEST(release_7_3_prefers_siblings_below_asymmetric_domains_too)
{
	const struct machine_domain_setup setup = { .prefer_sibling_in_asym = true };
	struct machine machine;
	struct machine_domains domains;

	CHECK(!machine_named(&machine, "juno-r0", NULL));
	machine_domains_build(&domains, &machine, &setup);
	CHECK_EQ(BALANCE | MACHINE_SD_SHARE_LLC | MACHINE_SD_PREFER_SIBLING,
		 domains.cpus[0].at[0]->flags);
	CHECK(domains.asym);
	fini(&domains, &machine);
}

TEST(groups_carry_capacity_cores_and_the_flags_below)
{
	struct machine machine;
	struct machine_domains domains;
	const struct machine_domain *pkg;

	build(&domains, &machine, "juno-r2");
	pkg = domains.cpus[0].at[1];
	CHECK_EQ(4u * 383, pkg->groups[0].capacity);
	CHECK_EQ(2u * 1024, pkg->groups[1].capacity);
	CHECK_EQ(383u, pkg->groups[0].max_capacity);
	CHECK_EQ(1024u, pkg->groups[1].min_capacity);
	CHECK_EQ(0u, domains.cpus[4].group[1]);
	CHECK_EQ(1u, domains.cpus[2].group[1]);
	CHECK(domains.cpus[2].asym == pkg);
	fini(&domains, &machine);

	build(&domains, &machine, "smt");
	CHECK_EQ(1u, domains.cpus[0].at[1]->groups[0].nr_cores);
	CHECK(domains.cpus[0].at[1]->groups[0].flags & MACHINE_SD_SHARE_CPUCAPACITY);
	CHECK_EQ(0u, domains.cpus[0].at[0]->groups[0].flags);
	CHECK(domains.cpus[0].at[0]->parent == domains.cpus[0].at[1]);
	CHECK(!domains.cpus[0].at[1]->parent);
	fini(&domains, &machine);
}

TEST(shortcuts_name_cache_core_and_node)
{
	struct machine machine;
	struct machine_domains domains;

	build(&domains, &machine, "2-socket");
	CHECK_EQ(8u, domains.cpus[11].llc_id);
	CHECK_EQ(8u, domains.cpus[11].llc_size);
	CHECK_EQ(8u, domains.cpus[11].share_id);
	CHECK(domains.cpus[11].numa == domains.cpus[11].at[1]);
	CHECK(machine_share_cache(&domains, 8, 15) && !machine_share_cache(&domains, 7, 8));
	CHECK(machine_domain_has(&domains, domains.cpus[11].llc, 9));
	CHECK(!machine_domain_has(&domains, domains.cpus[11].llc, 7));
	CHECK_EQ(1u, domains.cpus[0].at[1]->imb_numa_nr); /* 8 CPUs, one cache: an eighth */
	fini(&domains, &machine);

	build(&domains, &machine, "smt");
	CHECK_EQ(2u, domains.cpus[6].nr_smt);
	CHECK_EQ(2u, domains.cpus[6].smt[0]);
	CHECK_EQ(6u, domains.cpus[6].smt[1]);
	fini(&domains, &machine);

	build(&domains, &machine, "1");
	CHECK(!domains.cpus[0].llc && domains.cpus[0].llc_size == 1);
	fini(&domains, &machine);
}

/* A cache over two clusters of four. */
TEST(clusters_are_a_level_where_the_cache_spans_several)
{
	static const struct machine_domain_setup plain;
	struct machine machine;
	struct machine_domains domains;
	char text[256];

	machine_flat(&machine, 8);
	for (u32 cpu = 0; cpu < 8; cpu++)
		machine.cpus[cpu].cluster = cpu / 4;
	machine_domains_build(&domains, &machine, &plain);
	describe(&domains, 5, text, sizeof(text));
	CHECK_STR("CLS 4: 7|4|5|6; MC 8: 4,5,6,7|0,1,2,3", text);
	CHECK_EQ(4u, domains.cpus[5].share_id);
	CHECK_EQ(0u, domains.cpus[5].llc_id);
	CHECK(domains.cluster);
	fini(&domains, &machine);
}

/* CPUs 1, 2 and 5 of a Juno r2 stay: one LITTLE without company below the package. */
TEST(inactive_cpus_are_in_no_domain)
{
	const u64 active[] = { 1 << 1 | 1 << 2 | 1 << 5 };
	const struct machine_domain_setup setup = { .active = active };
	struct machine machine;
	struct machine_domains domains;
	char text[256];

	CHECK(!machine_named(&machine, "juno-r2", NULL));
	machine_domains_build(&domains, &machine, &setup);
	describe(&domains, 1, text, sizeof(text));
	CHECK_STR("MC 2: 2|1; PKG 3: 5|1,2", text);
	describe(&domains, 5, text, sizeof(text));
	CHECK_STR("PKG 3: 5|1,2", text);
	CHECK_EQ(0u, domains.cpus[5].at[0]->groups[0].flags);
	CHECK_EQ(0u, domains.cpus[0].nr);
	CHECK_EQ(3u, domains.nr_active);
	fini(&domains, &machine);
}

TEST(knobs_replace_what_a_level_has)
{
	const struct machine_domain_setup setup = {
		.knobs[MACHINE_MC] = { .busy_factor = 4,
				       .imbalance_pct = 125,
				       .min_interval_ms = 3,
				       .max_interval_ms = 7 },
	};
	struct machine machine;
	struct machine_domains domains;
	const struct machine_domain *mc;

	CHECK(!machine_named(&machine, "soc18", NULL));
	machine_domains_build(&domains, &machine, &setup);
	mc = domains.cpus[0].at[0];
	CHECK_EQ(4u, mc->busy_factor);
	CHECK_EQ(125u, mc->imbalance_pct);
	CHECK_EQ(3u, mc->min_interval_ms);
	CHECK_EQ(7u, mc->max_interval_ms);
	CHECK_EQ(16u, mc->parent->busy_factor);
	fini(&domains, &machine);
}

/* Interleaved numbers: the ring is tied by CPU 5, of the second group. */
TEST(the_ring_starts_with_the_last_cpus_group)
{
	static const u32 llc[6] = { 0, 1, 2, 2, 2, 1 };
	static const struct machine_domain_setup plain;
	struct machine machine;
	struct machine_domains domains;
	char text[256];

	machine_flat(&machine, 6);
	for (u32 cpu = 0; cpu < 6; cpu++)
		machine.cpus[cpu].llc = machine.cpus[cpu].cluster = llc[cpu];
	machine_domains_build(&domains, &machine, &plain);
	describe(&domains, 0, text, sizeof(text));
	CHECK_STR("PKG 6: 1,5|0|2,3,4", text);
	fini(&domains, &machine);
}

/* Levels of the 2-socket preset below NUMA that bring two priorities together. */
TEST(priorities_make_domains_pack)
{
	for (u32 threads = 0; threads < 2; threads++) {
		const struct machine_domain_setup setup = { .pack_threads = threads };
		const struct machine_cpu_domains *of;
		struct machine_domains domains;
		struct machine machine;

		CHECK(!machine_named(&machine, "smt", NULL));
		machine.cpus[5].priority = 7; /* its core: 1 and 5 */
		machine_domains_build(&domains, &machine, &setup);
		of = &domains.cpus[1];
		CHECK_EQ(threads, !!(of->at[0]->flags & MACHINE_SD_ASYM_PACKING), "SMT");
		CHECK(of->at[1]->flags & MACHINE_SD_ASYM_PACKING, "MC");
		CHECK(of->packing == of->at[1], "the highest");
		CHECK_EQ(7, of->at[1]->groups[of->group[1]].priority);
		CHECK(!(domains.cpus[0].at[0]->flags & MACHINE_SD_ASYM_PACKING), "a core of one");
		fini(&domains, &machine);
	}
}

/* Sockets that differ are no reason, unless their CPUs are of different kinds; nodes never are. */
TEST(packages_pack_only_if_they_are_hybrid)
{
	for (u32 hybrid = 0; hybrid < 2; hybrid++) {
		static const struct machine_domain_setup plain;
		struct machine_domains domains;
		struct machine machine;

		machine_flat(&machine, 4);
		for (u32 i = 0; i < 4; i++) {
			machine.cpus[i].llc = machine.cpus[i].cluster = i / 2;
			machine.cpus[i].priority = i / 2;
			machine.cpus[i].kind = hybrid ? i / 2 : 0;
		}
		machine_domains_build(&domains, &machine, &plain);
		CHECK_EQ(hybrid, domains.cpus[0].packing != NULL);
		fini(&domains, &machine);
	}
}
