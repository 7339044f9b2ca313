import { join } from 'node:path'
import { Program, type Side } from './server-process.ts'

/** `tiphys cluster` as a user starts it, keeping its objects in memory or on disk. */
export function embeddedCluster(command: string, storage: 'memory' | 'disk'): Side {
  return {
    name: storage === 'memory' ? 'tiphys cluster --memory' : 'tiphys cluster',
    async launch(directory) {
      const kubeconfig = join(directory, 'kubeconfig')
      const args = ['cluster', '--port', '0', '--data', join(directory, 'data'), '--kubeconfig-out', kubeconfig]
      return {
        kubeconfig,
        start() {
          const program = new Program(command, storage === 'memory' ? [...args, '--memory'] : args)
          return { kubeconfig, residentBytes: () => program.residentBytes(), stop: () => program.stop() }
        },
      }
    },
  }
}
