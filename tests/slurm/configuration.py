"""Configuration files of a private Slurm, to be filled in."""

SLURM_CONF = """\
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={home}/munge/socket
CredType=cred/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool/%n
SlurmctldPidFile={home}/pids/slurmctld
SlurmdPidFile={home}/pids/slurmd.%n
SlurmctldLogFile={home}/log/slurmctld.log
SlurmdLogFile={home}/log/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1,sched_min_interval=10000,batch_sched_delay=0,defer_batch=0
JobRequeue=1
KillWait=2
OverTimeLimit=0
MinJobAge={min_job_age}
SlurmdTimeout=60
SlurmctldTimeout=60
InactiveLimit=0
Waittime=0
MessageTimeout={message_timeout}
TCPTimeout=10
MaxArraySize=1001
GresTypes=gpu
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
PropagateResourceLimits=NONE
PreemptType=preempt/partition_prio
PreemptMode={preempt_mode}
{accounting}
NodeName=DEFAULT CPUs=8 RealMemory=16000 State=UNKNOWN
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{node_ports}] Gres=gpu:fake:2
PartitionName=DEFAULT MaxTime=UNLIMITED DefaultTime=60 DefMemPerCPU=200 State=UP PriorityTier=1
PartitionName=cpu Nodes=n[1-{nodes}] Default=YES
PartitionName=gpu Nodes=n1
PartitionName=short Nodes=n[1-{nodes}] MaxTime=1
PartitionName=high Nodes=n[1-{nodes}] PriorityTier=10 PreemptMode=OFF
"""
ACCOUNTING = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={ports[1]}
AccountingStoragePass={home}/munge/socket
AccountingStorageTRES=gres/gpu
AccountingStoreFlags=job_comment
AccountingStorageEnforce=associations,limits
"""
SLURMDBD_CONF = """\
AuthType=auth/munge
AuthInfo=socket={home}/munge/socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={ports[1]}
CommunicationParameters=NoInAddrAny
SlurmUser={user}
LogFile={home}/log/slurmdbd.log
PidFile={home}/pids/slurmdbd
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={ports[2]}
StorageUser={user}
StoragePass=none
StorageLoc=accounting
"""
