/** What container engines leave to a container's root, without making device nodes: nothing here restricts devices. */
const DEFAULT = `CHOWN DAC_OVERRIDE FSETID FOWNER NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL
  AUDIT_WRITE`.split(/\s+/)

const ALL =
  `CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE
  NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN
  SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE
  MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE`.split(/\s+/)

/** The capabilities a container's root has, in `setpriv`'s spelling. Names that the kernel does not know are left out. */
export function boundingSet(change: { add: readonly string[]; drop: readonly string[] }): string[] {
  const named = (names: readonly string[]) => {
    const plain = names.map(name => name.toUpperCase().replace(/^CAP_/, ''))
    return new Set(plain.includes('ALL') ? ALL : plain.filter(name => ALL.includes(name)))
  }
  const added = named(change.add)
  const dropped = named(change.drop)
  const kept = DEFAULT.filter(name => !dropped.has(name))
  // As for container engines, `drop: [ALL]` with `add: [X]` leaves X.
  const isAddedBack = (name: string) => added.has(name) && (!dropped.has(name) || change.drop.includes('ALL'))
  return ALL.filter(name => kept.includes(name) || isAddedBack(name)).map(name => name.toLowerCase())
}
