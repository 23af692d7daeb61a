#!/bin/sh
# Starts a job of Slurm: sh step.sh OPTIONS OF SRUN ... COMMAND ...
# srun would take the job's own variables for options, beside those given here, which they may contradict.
for name in $(env | sed -n 's/^\(S[A-Z]*_[A-Za-z0-9_]*\)=.*/\1/p'); do
  case $name in
    SLURM_JOB_ID | SLURM_JOBID | SLURM_CLUSTER_NAME | SLURM_SUBMIT_DIR | SLURM_SUBMIT_HOST | SLURM_CONF) ;;
    SLURM_* | SRUN_* | SBATCH_*) unset "$name" ;;
  esac
done
exec srun "$@"
