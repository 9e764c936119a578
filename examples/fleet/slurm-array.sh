#!/bin/sh
# Fifty runs of the queue, eight at a time, on nodes with a GPU: sbatch examples/fleet/slurm-array.sh
# The address of the queue is in ~/.config/runwire/fleet.env, which only you can read: RUNWIRE_LEDGER=postgres://…
#SBATCH --job-name=runwire
#SBATCH --array=1-50%8
#SBATCH --time=02:00:00
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --gres=gpu:1
#SBATCH --signal=B:TERM@90
#SBATCH --output=runwire-%A_%a.log
set -eu

set -a
. "${XDG_CONFIG_HOME:-$HOME/.config}/runwire/fleet.env"
set +a
# A disk of the node: a copy of the repository is made for each run.
export XDG_STATE_HOME="${TMPDIR:-/tmp}/runwire-${SLURM_ARRAY_JOB_ID:-0}"

# exec: the signal that Slurm sends before the time is over reaches the worker, which gives its run back.
exec runwire worker --once --label gpu --grace 60s --allow-env 'ANTHROPIC_*'
