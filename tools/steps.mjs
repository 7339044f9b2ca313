// Runs the steps of a command: says what it is doing only when that takes longer than a second.
import { spawn } from 'node:child_process'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs a program and resolves with its exit code. Its output is shown when it fails, or at once with `show`. */
export function run(program, args, { show = false, env = {}, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = show ? 'inherit' : ['ignore', 'pipe', 'pipe']
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio })
    const output = []
    child.stdout?.on('data', chunk => output.push(chunk))
    child.stderr?.on('data', chunk => output.push(chunk))
    child.on('error', reject)
    child.on('close', code => {
      if (code !== 0 && !show) process.stderr.write(Buffer.concat(output))
      resolve(code ?? 1)
    })
  })
}

/** Does `work`; after a second it says so, because silence looks like a hang. */
export async function step(doing, work) {
  const timer = setTimeout(() => console.error(`${doing} …`), 1000)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/** A program from node_modules, run by this Node. */
export const tool = (name, args, options) => run(process.execPath, [`${root}node_modules/${name}`, ...args], options)

/** Whether Node was started with this very module, as opposed to importing it. */
export const isProgram = url => process.argv[1] !== undefined && url === pathToFileURL(process.argv[1]).href
