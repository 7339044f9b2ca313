import type { ReactElement } from 'react'
import type { Answers } from '../../api/answers.ts'
import { useAccess, useSession } from '../access.tsx'
import { say } from '../announce.ts'
import { Page, Problem, Skeleton } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { get, post } from '../request.ts'
import { useAddress } from '../url.ts'

async function signOut(): Promise<void> {
  await post('/session', {}, 'DELETE')
  const isKnown = await get('/session').then(
    () => true,
    () => false,
  )
  if (isKnown) say('A proxy in front of this console signs you in: sign out there')
  else location.assign('/')
}

export default function Access(): ReactElement {
  const ns = useAddress().get('ns')
  const access = useAccess(ns)
  const session = useSession()
  return (
    <Page
      title="What may I do?"
      sub={
        access.data && (
          <span>{`${access.data.user}${access.data.groups.length > 0 ? `, in ${access.data.groups.join(', ')}` : ''}`}</span>
        )
      }
      actions={
        <button type="button" className="button" onClick={() => void signOut()}>
          Sign out
        </button>
      }
      cli={[`kubectl auth can-i --list${ns === '' ? '' : ` -n ${ns}`}`]}
    >
      <p className="faint">
        The cluster decides, {ns === '' ? 'here for all namespaces' : `here for the namespace ${ns}`}. What it refuses
        is shown and disabled, with the verb and resource to ask for.
        {session.data?.mode === 'local' ? ' Locally you act with the rights that tiphys was started with.' : ''}
      </p>
      {access.error && <Problem error={access.error} />}
      {!access.data && !access.error && <Skeleton />}
      {access.data && (
        <>
          <AccessTable title="Actions" answers={access.data.actions} />
          <AccessTable title="Reading" answers={access.data.reads} />
          <p className="faint">
            A program may do the same with a token:{' '}
            <a href="/api/v1/openapi.json">what this console’s API takes and answers</a>.
          </p>
        </>
      )}
    </Page>
  )
}

function AccessTable({ title, answers }: { title: string; answers: Answers['GET /access']['actions'] }): ReactElement {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <div className="scroll-area">
        <table className="plain stacks access">
          <caption className="hidden">{title}</caption>
          <tbody>
            {answers.map(({ did, words, answer, why }) => (
              <tr key={words}>
                <th scope="row">{did}</th>
                <td>
                  <Status value={answer} />
                </td>
                <td>
                  <code>{words}</code>
                </td>
                <td className="message-cell faint">{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
