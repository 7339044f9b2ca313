import { spawn } from 'node:child_process'

/** One word for the shell, whatever is in it. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** The environment of the tools that the supervisor starts, which is nobody's own. */
export const TOOL_ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin', LC_ALL: 'C' }

/** Runs a shell script to its end. Rejects with what it wrote on its standard error. */
export function runScript(script: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const shell = spawn('/bin/sh', ['-ec', script], { stdio: ['ignore', 'ignore', 'pipe'], env: TOOL_ENV })
    let problems = ''
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      problems = `${problems}${text}`.slice(-2000)
    })
    shell.once('error', reject)
    shell.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(problems.trim() || `the shell ended with ${signal ?? `exit code ${code}`}`))
    })
  })
}
