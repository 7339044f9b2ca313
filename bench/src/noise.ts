import { Asker } from './asker.ts'

// Asks at a rate, whatever becomes of it, unless as many are under way as there are connections; until it is told to end.
// `NOISY_TOKEN=… node noise.mjs ADDRESS PATH RATE`
const CONNECTIONS = 64
const [, , address = '', path = '', rate = ''] = process.argv
const asker = new Asker(address, process.env.NOISY_TOKEN ?? '', CONNECTIONS)
const begin = performance.now()
let [sent, underWay, answered, refused] = [0, 0, 0, 0]

async function ask(): Promise<void> {
  underWay++
  // A connection that was not used for a while may be closed at the very moment when it is.
  const answer = await asker.ask(path).catch(() => undefined)
  underWay--
  if (answer?.status === 200) answered++
  else refused++
}

setInterval(() => {
  const due = ((performance.now() - begin) / 1000) * Number(rate)
  for (; sent < due; sent++) {
    if (underWay < CONNECTIONS) void ask()
  }
}, 5)
console.log('asking')

process.on('SIGTERM', () => {
  const seconds = (performance.now() - begin) / 1000
  console.log(`answered ${(answered / seconds).toFixed(1)} refused ${(refused / seconds).toFixed(1)}`)
  process.exit(0)
})
