# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of fairground(1).  tests/manual.py compares it with the program's own tables.

_fairground_options() {
	case $1 in
	analyze)
		echo "--json --top --per-thread --worst --perf-compat --from --to --cpu --task --pid --help"
		;;
	run)
		echo "--machine --release --features --hz --duration --seed --tunables --governor --cgroup-mode --output
			--explain --format
			--json --top --per-thread --worst --perf-compat --from --to --cpu --task --pid --help"
		;;
	compare)
		echo "--a --b --runs --fail-if --why --machine --release --features --hz --duration --seed --tunables
			--governor --cgroup-mode --json --help"
		;;
	reproduce)
		echo "--runs --machine --release --features --hz --duration --seed --tunables --governor --cgroup-mode
			--json --help"
		;;
	exec)
		echo "--duration --seed --output --json --top --per-thread --worst --perf-compat --from --to --cpu
			--task --pid --help"
		;;
	guest)
		echo "--kernel --cpus --fetch --features --duration --seed --output --json --top --per-thread
			--worst --perf-compat --from --to --cpu --task --pid --help"
		;;
	validate)
		echo "--guest --cpus --runs --keep --against --machine --release --features --hz --duration --seed
			--tunables --governor --cgroup-mode --json --help"
		;;
	calibrate) echo "--guest --cpus --hz --output --help" ;;
	dump) echo "--format --from --to --cpu --help" ;;
	list) echo "--release --help" ;;
	esac
}

_fairground() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	local words=""

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		words="analyze run compare reproduce exec guest validate calibrate dump list --help --version"
	else
		case $previous in
		--release) words=$(fairground list releases 2>/dev/null | cut -d' ' -f1) ;;
		--machine) words=$(fairground list machines 2>/dev/null | cut -d' ' -f1) ;;
		--fetch) words="6.1 6.12 7.3" ;;
		--kernel | --guest)
			words="6.1 6.12 7.3 "$(compgen -f -- "$current")
			;;
		--hz) words="100 250 300 1000" ;;
		--tunables)
			words="migration_cost_ns= nr_migrate="
			words+=" $(printf 'llc_%s= ' aggr_tolerance epoch_period epoch_affinity_timeout imb_pct overaggr_pct)"
			words+=" $(printf '%s ' {SMT,CLS,MC,PKG,NUMA}.{busy_factor,imbalance_pct,min_interval,max_interval}=)"
			;;
		--governor) words="performance powersave schedutil" ;;
		--cgroup-mode) words="concur up smp max tasks" ;;
		--format) words="dump ftrace" ;;
		--features)
			words=$(fairground list features 2>/dev/null | sed -n '2,$s/ .*//p')
			words+=" $(sed 's/^/NO_/' <<<"$words")"
			;;
		--output | -o | --explain | --keep | --against) ;;
		--a | --b | --fail-if | --cpus | --runs | --top | --worst | --pid | --seed | --duration | --from | --to | --cpu | --task) return ;;
		*)
			if [[ $current == -* ]]; then
				words=$(_fairground_options "$command")
			elif [[ $command == list ]]; then
				words="features releases machines workloads scenarios analyses"
			elif [[ $command == reproduce ]]; then
				words=$(fairground list scenarios 2>/dev/null | sed -n 's/ .*(published)$//p')
			fi
			;;
		esac
	fi
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}
complete -o filenames -F _fairground fairground
