const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const DOMAIN = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const PATH_PART = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*'
const REFERENCE = new RegExp(
  `^(?:(${DOMAIN})/)?(${PATH_PART}(?:/${PATH_PART})*)(?::(\\w[\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
)

/** The tag that an image reference means: `latest` without tag and digest, nothing when the reference cannot be read. */
export function imageTag(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image)) return ''
  const match = REFERENCE.exec(image)
  if (match === null) return ''
  const [, , , tag = '', digest] = match
  return tag === '' && digest === undefined ? 'latest' : tag
}

export const defaultPullPolicy = (image: string): string => (imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent')
