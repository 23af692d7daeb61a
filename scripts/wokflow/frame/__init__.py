"""What every stage stands on: config, keys, cutoffs, tables, jobs, shards, the plan."""
