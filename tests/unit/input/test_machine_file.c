/* SPDX-License-Identifier: GPL-2.0-only */
#include "input/machine_file.h"

#include <stdlib.h>

#include "doc_block.h"

static void read_text(const char *text, struct machine *machine)
{
	struct err err = ERR_NONE;

	CHECK(!input_machine_text("x/f.json", text, strlen(text), machine, &err),
	      "%s: line %llu: %s", text, err.at, err.what);
}

/* Every field, none at its default. */
TEST(every_field_of_a_machine_can_be_written)
{
	struct machine machine;
	const struct machine_cpu *cpu;

	read_text(
		"{\"name\": \"board\", \"idle\": \"teo\", \"governor\": \"schedutil\", \"rate_limit_us\": 20, /* comment */\n"
		"\"costs\": {\"switch_ns\": 1, \"wakeup_ns\": 2, \"tick_ns\": 3, \"timer_ns\": 4, \"ipi_ns\": 5,\n"
		"\"ipi_latency_ns\": 6, \"idle_exit_ns\": 7, \"balance_cpu_ns\": 8, \"stopper_ns\": 9,\n"
		"\"timer_slack_ns\": 0, \"syscall_ns\": 10, \"fork_ns\": 11, \"thread_ns\": 12, \"waver_ns\": 13,\n"
		"\"pick_ns\": 14},\n"
		"\"kinds\": [{\"name\": \"little\", \"opps\": [{\"khz\": 500, \"capacity\": 200, \"power_mw\": 30},\n"
		"{\"khz\": 1000, \"capacity\": 400, \"power_mw\": 90}], \"idle_states\": [{\"name\": \"wfi\",\n"
		"\"exit_latency_us\": 1, \"target_residency_us\": 2, \"power_mw\": 3}]}, {\"name\": \"big\"}],\n"
		"\"cpus\": [{\"cpus\": \"0,2-3\", \"kind\": \"little\", \"core\": 7, \"cluster\": 3, \"llc\": 4, \"package\": 1,\n"
		"\"node\": 2, \"freq_domain\": 5, \"capacity\": 400, \"priority\": 9}, {\"cpus\": \"1\", \"core\": 8, \"kind\": \"big\"}]}",
		&machine);
	CHECK_STR("board", machine.name);
	CHECK_EQ(MACHINE_IDLE_TEO, machine.idle);
	CHECK_EQ(MACHINE_GOVERNOR_SCHEDUTIL, machine.governor);
	CHECK_EQ(20, machine.rate_limit_us);
	CHECK_EQ(1, machine.costs.switch_ns);
	CHECK_EQ(2, machine.costs.wakeup_ns);
	CHECK_EQ(3, machine.costs.tick_ns);
	CHECK_EQ(4, machine.costs.timer_ns);
	CHECK_EQ(5, machine.costs.ipi_ns);
	CHECK_EQ(6, machine.costs.ipi_latency_ns);
	CHECK_EQ(7, machine.costs.idle_exit_ns);
	CHECK_EQ(8, machine.costs.balance_cpu_ns);
	CHECK_EQ(9, machine.costs.stopper_ns);
	CHECK_EQ(10, machine.costs.syscall_ns);
	CHECK_EQ(11, machine.costs.fork_ns);
	CHECK_EQ(12, machine.costs.thread_ns);
	CHECK_EQ(13, machine.costs.waver_ns);
	CHECK_EQ(14, machine.costs.pick_ns);
	CHECK_EQ(0, machine.costs.timer_slack_ns);
	CHECK_EQ(2, machine.nr_kinds);
	CHECK_EQ(2, machine.kinds[0].nr_opps);
	CHECK_EQ(500, machine.kinds[0].opps[0].khz);
	CHECK_EQ(400, machine.kinds[0].opps[1].capacity);
	CHECK_EQ(90, machine.kinds[0].opps[1].power_mw);
	CHECK_STR("wfi", machine.kinds[0].idle_states[0].name);
	CHECK_EQ(1, machine.kinds[0].idle_states[0].exit_latency_us);
	CHECK_EQ(2, machine.kinds[0].idle_states[0].target_residency_us);
	CHECK_EQ(3, machine.kinds[0].idle_states[0].power_mw);
	CHECK(machine.kinds[0].idle_states[0].power_known);
	CHECK_EQ(4, machine.nr_cpus);
	CHECK(machine.smt);
	cpu = &machine.cpus[3];
	CHECK_EQ(7, cpu->core);
	CHECK_EQ(3, cpu->cluster);
	CHECK_EQ(4, cpu->llc);
	CHECK_EQ(1, cpu->package);
	CHECK_EQ(2, cpu->node);
	CHECK_EQ(5, cpu->freq_domain);
	CHECK_EQ(400, cpu->capacity);
	CHECK_EQ(9, cpu->priority);
	CHECK_EQ(0, cpu->kind);
	CHECK_EQ(1024, machine.cpus[1].capacity);
	machine_fini(&machine);
}

TEST(what_is_left_out_has_the_documented_default)
{
	struct machine machine;

	read_text(
		"{\"kinds\": [{\"name\": \"k\", \"opps\": [{\"khz\": 1, \"capacity\": 1024}]}],"
		"\"cpus\": [{\"cpus\": \"0-1\", \"llc\": 1}, {\"cpus\": \"2\", \"cluster\": 2}, {\"cpus\": \"3\"}],"
		"\"costs\": {\"tick_ns\": 5}}",
		&machine);
	CHECK_STR("f.json", machine.name);
	CHECK_EQ(MACHINE_IDLE_NO_DRIVER, machine.idle);
	CHECK_EQ(5, machine.costs.tick_ns);
	CHECK_EQ(machine_default_costs.ipi_ns, machine.costs.ipi_ns);
	CHECK(!machine.smt);
	for (u32 cpu = 0; cpu < 4; cpu++) {
		static const u32 llc[] = { 1, 1, 2, 0 };

		CHECK_EQ(cpu, machine.cpus[cpu].core);
		CHECK_EQ(llc[cpu], machine.cpus[cpu].llc);
		CHECK_EQ(llc[cpu], machine.cpus[cpu].cluster);
		CHECK_EQ(llc[cpu], machine.cpus[cpu].freq_domain);
		CHECK_EQ(0, machine.cpus[cpu].package);
		CHECK_EQ(1024, machine.cpus[cpu].capacity, "its kind's last opp");
	}
	machine_fini(&machine);
}

TEST(faults_are_told_with_their_line)
{
	static const struct {
		const char *text;
		u64 line; /* 0: of the file as a whole */
		const char *said;
	} rows[] = {
		{ "[]", 1, "expected an object" },
		{ "{}", 1, "expected \"cpus\" here" },
		{ "{\n\"nonsense\": 1, \"cpus\": []}", 2,
		  "unknown key \"nonsense\" in a machine; expected one of: name" },
		{ "{\"cpus\": [\n]}", 1, "at least one row" },
		{ "{\"cpus\": [{\n\"cpu\": \"0\"}]}", 2,
		  "unknown key \"cpu\" in a row of \"cpus\"" },
		{ "{\"cpus\": [\n{}]}", 2, "expected \"cpus\" here" },
		{ "{\"cpus\": [{\"cpus\": \"0-\"}]}", 1, "a list of CPUs like \"0-3,5\"" },
		{ "{\"cpus\": [{\"cpus\": \"0,4096\"}]}", 1, "a list of CPUs" },
		{ "{\"cpus\": [{\"cpus\": \"0\"},\n{\"cpus\": \"0\"}]}", 2,
		  "CPU 0 is described twice" },
		{ "{\"cpus\": [{\"cpus\": \"0,2\"}]}", 1, "expected CPU 1 in some row" },
		{ "{\"cpus\": [{\"cpus\": \"0\", \"kind\": \"x\"}]}", 1,
		  "the name of a row of \"kinds\"" },
		{ "{\"cpus\": [{\"cpus\": \"0\", \"core\": 1}, {\"cpus\": \"1\"}]}", 1,
		  "\"core\" in every row or in none" },
		{ "{\"cpus\": [{\"cpus\": \"0\", \"llc\": 4096}]}", 1,
		  "\"llc\": expected a whole number from 0 to 4095" },
		{ "{\"cpus\": [{\"cpus\": \"0\", \"capacity\": 0}]}", 1, "from 1 to 1024" },
		{ "{\"cpus\": [{\"cpus\": \"0\", \"capacity\": 5}]}", 0,
		  "capacity 1024 for the biggest CPU, found 5" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}], \"idle\": \"x\"}", 1,
		  "expected no-driver, menu, teo or haltpoll" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}], \"governor\": \"x\"}", 1,
		  "expected performance, powersave or schedutil" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}], \"rate_limit_us\": -1}", 1,
		  "from 0 to 1000000" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"costs\": {\"switch\": 1}}", 2,
		  "unknown key \"switch\" in \"costs\"" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"costs\": {\"tick_ns\": 2000000000}}", 2,
		  "from 0 to 1000000000" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{}]}", 2,
		  "expected \"name\" here" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{\"name\": \"a name far too long for its field\"}]}",
		  2, "\"name\": expected at most 23 bytes" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{\"name\": \"k\", \"opps\": [{\"khz\": 1}]}]}",
		  2, "expected \"capacity\" here" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{\"name\": \"k\", \"opps\": [{\"khz\": 1, \"volt\": 1}]}]}",
		  2, "unknown key \"volt\" in an opp" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{\"name\": \"k\", \"idle_states\": [{\"name\": \"s\"}]}]}",
		  2, "expected \"exit_latency_us\" here" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{\"name\": \"k\", \"idle_states\": [{\"nam\": \"s\"}]}]}",
		  2, "unknown key \"nam\" in an idle state" },
		{ "{\"cpus\": [{\"cpus\": \"0\"}],\n\"kinds\": [{\"name\": \"k\", \"clock\": 1}]}",
		  2, "unknown key \"clock\" in a kind" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine machine;
		struct err err = ERR_NONE;

		CHECK_EQ(ERR_FORMAT,
			 input_machine_text("f", rows[i].text, strlen(rows[i].text), &machine,
					    &err),
			 "%s", rows[i].text);
		CHECK(strstr(err.what, rows[i].said), "%s: %s", rows[i].text, err.what);
		CHECK_EQ(rows[i].line ? ERR_LINE : ERR_NOWHERE, err.place, "%s", rows[i].text);
		CHECK_EQ(rows[i].line, err.at, "%s", rows[i].text);
	}
}

TEST(tables_of_a_kind_are_bounded)
{
	char text[4096] =
		"{\"cpus\": [{\"cpus\": \"0\"}], \"kinds\": [{\"name\": \"k\", \"opps\": [";
	struct machine machine;
	struct err err = ERR_NONE;

	for (u32 i = 1; i <= MACHINE_MAX_OPPS + 1; i++)
		snprintf(text + strlen(text), 64, "{\"khz\": %u, \"capacity\": %u},", i, i);
	strcat(text, "]}]}");
	CHECK_EQ(ERR_FORMAT, input_machine_text("f", text, strlen(text), &machine, &err));
	CHECK_STR("expected at most 16 opps", err.what);
}

/* The example of the document: six CPUs, four of them little. */
TEST(the_documented_example_is_read)
{
	char *text = test_block("docs/machines.md", "```json\n");
	struct machine machine;

	read_text(text, &machine);
	CHECK_STR("phone", machine.name);
	CHECK_EQ(6, machine.nr_cpus);
	CHECK_EQ(446, machine.cpus[3].capacity);
	CHECK_EQ(1024, machine.cpus[4].capacity);
	CHECK_EQ(2500, machine.costs.switch_ns);
	machine_fini(&machine);
	free(text);
}

TEST(one_entry_takes_names_files_and_this_machine)
{
	char path[] = "/tmp/fairground-machine-XXXXXX";
	const char *text = "{\"cpus\": [{\"cpus\": \"0-2\"}]}";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	struct machine machine;
	struct err err = ERR_NONE;

	CHECK(!input_machine("juno-r2", &machine, &err), "%s", err.what);
	CHECK_EQ(6, machine.nr_cpus);
	machine_fini(&machine);
	CHECK(!input_machine("5", &machine, &err), "%s", err.what);
	CHECK_EQ(5, machine.nr_cpus);
	machine_fini(&machine);
	CHECK(!input_machine("this", &machine, &err), "%s", err.what);
	CHECK(machine.nr_cpus >= 1);
	CHECK_STR("this", machine.name);
	machine_fini(&machine);
	fputs(text, file);
	fclose(file);
	CHECK(!input_machine(path, &machine, &err), "%s", err.what);
	CHECK_EQ(3, machine.nr_cpus);
	machine_fini(&machine);
	remove(path);
	CHECK_EQ(ERR_USAGE, input_machine(path, &machine, &err));
	CHECK(strstr(err.what, "expected one of: 1, 2, 4"), "%s", err.what);
}
