/** How whoever started this program would start it again: in a clone of the repository it is not on the path. */
export function ownCommand(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return ['npx', 'start'].includes(env.npm_lifecycle_event ?? '') ? 'npx tiphys' : 'tiphys'
}
