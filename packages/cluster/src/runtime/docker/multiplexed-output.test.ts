import { seededRandom } from '@tiphys/env'
import { expect, test } from 'vitest'
import { MultiplexedOutput } from './multiplexed-output.ts'

function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt8(stream, 0)
  header.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([header, Buffer.from(text)])
}

test('takes frames apart wherever they are cut', () => {
  const whole = Buffer.concat([
    frame(1, 'one'),
    frame(2, 'problem'),
    frame(1, ''),
    frame(1, 'x'.repeat(1000)),
    frame(2, 'end'),
  ])
  const random = seededRandom(3)
  for (let round = 0; round < 200; round++) {
    const output = new MultiplexedOutput()
    const said = { stdout: '', stderr: '' }
    for (let at = 0; at < whole.length; ) {
      const size = 1 + Math.floor(random.next() * (round % 40))
      for (const { stream, chunk } of output.push(whole.subarray(at, at + size)))
        said[stream] += Buffer.from(chunk).toString()
      at += size
    }
    expect(said).toEqual({ stdout: `one${'x'.repeat(1000)}`, stderr: 'problemend' })
  }
})
