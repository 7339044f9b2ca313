import type { ReactElement } from 'react'

/** Names with their values; nothing where there are none. */
export function Parameters({
  title,
  parameters,
}: {
  title: string
  parameters: readonly { name: string; value?: string }[]
}): ReactElement | null {
  if (parameters.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <dl className="parameters">
        {parameters.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <code>{value ?? '(none)'}</code>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
