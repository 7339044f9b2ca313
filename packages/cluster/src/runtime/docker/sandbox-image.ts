/** The image of the container that holds a pod's network while its own containers come and go. It has one program, which
 *  waits for ever, so that nothing needs to be downloaded for it. */

/** The machine code of: ignore SIGCHLD, so that the kernel removes ended children; then sleep until killed. */
const PROGRAMS: Readonly<Record<string, { machine: number; code: Buffer }>> = {
  amd64: {
    machine: 62,
    code: Buffer.concat([
      bytes('b8 0d 00 00 00'), // mov eax, rt_sigaction
      bytes('bf 11 00 00 00'), // mov edi, SIGCHLD
      bytes('48 8d 35 13 00 00 00'), // lea rsi, [action]
      bytes('31 d2'), // xor edx, edx
      bytes('41 ba 08 00 00 00'), // mov r10d, 8
      bytes('0f 05'), // syscall
      bytes('b8 22 00 00 00'), // mov eax, pause
      bytes('0f 05'), // syscall
      bytes('eb f7'), // jump to the pause
      ignoringAction(),
    ]),
  },
  arm64: {
    machine: 183,
    code: Buffer.concat([
      words(0xd28010c8), // mov x8, rt_sigaction
      words(0xd2800220), // mov x0, SIGCHLD
      words(0x10000181), // adr x1, action
      words(0xd2800002), // mov x2, 0
      words(0xd2800103), // mov x3, 8
      words(0xd4000001), // svc 0
      words(0xd2800928), // mov x8, ppoll
      words(0xd2800000, 0xd2800001, 0xd2800002, 0xd2800003), // mov x0..x3, 0
      words(0xd4000001), // svc 0
      words(0x17fffffa), // jump to the ppoll
      words(0xd503201f), // nop, so that what follows is aligned
      ignoringAction(),
    ]),
  },
}

/** Undefined for a processor that there is no program for. */
export function sandboxImageArchive(architecture: string): Uint8Array | undefined {
  const program = PROGRAMS[architecture]
  return program && archiveOf('pause', executable(program.machine, program.code))
}

/** `struct sigaction` with SIG_IGN. */
function ignoringAction(): Buffer {
  const action = Buffer.alloc(32)
  action.writeBigUInt64LE(1n, 0)
  return action
}

/** An ELF executable of one segment that is the file itself. */
function executable(machine: number, code: Buffer): Buffer {
  const base = 0x400000n
  const header = Buffer.alloc(64 + 56)
  const size = BigInt(header.length + code.length)
  bytes('7f 45 4c 46 02 01 01').copy(header)
  header.writeUInt16LE(2, 16)
  header.writeUInt16LE(machine, 18)
  header.writeUInt32LE(1, 20)
  header.writeBigUInt64LE(base + BigInt(header.length), 24)
  header.writeBigUInt64LE(64n, 32)
  header.writeUInt16LE(64, 52)
  header.writeUInt16LE(56, 54)
  header.writeUInt16LE(1, 56)
  const segment = header.subarray(64)
  segment.writeUInt32LE(1, 0)
  segment.writeUInt32LE(5, 4)
  segment.writeBigUInt64LE(base, 16)
  segment.writeBigUInt64LE(base, 24)
  segment.writeBigUInt64LE(size, 32)
  segment.writeBigUInt64LE(size, 40)
  segment.writeBigUInt64LE(0x10000n, 48)
  return Buffer.concat([header, code])
}

/** A tar archive of one executable file. */
function archiveOf(name: string, content: Buffer): Uint8Array {
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o755, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(content.length, 12), 124)
  header.write(octal(0, 12), 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
  return Buffer.concat([header, content, padding, Buffer.alloc(1024)])
}

function bytes(hexadecimal: string): Buffer {
  return Buffer.from(hexadecimal.replaceAll(' ', ''), 'hex')
}

function words(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, index * 4)
  return buffer
}
