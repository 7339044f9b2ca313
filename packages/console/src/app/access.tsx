import { useQuery } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import type { Answers } from '../api/answers.ts'
import { Icon, type IconName } from './parts/icon.tsx'
import { get } from './request.ts'

export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => get<Answers['GET /session']>('/session', {}, signal),
    staleTime: 30_000,
  })

export const useAccess = (ns: string) =>
  useQuery({
    queryKey: ['access', ns],
    queryFn: ({ signal }) => get<Answers['GET /access']>('/access', { ns }, signal),
    staleTime: 10_000,
  })

interface ActionButtonProps {
  /** What RBAC must allow: the name of an action of the access report. */
  action: string
  namespace: string
  icon?: IconName
  kind?: 'primary' | 'danger' | 'quiet' | 'plain'
  /** Another reason why it cannot be done now. */
  blocked?: string | undefined
  onClick(): void
  children: ReactNode
}

/** A control that is there for everybody: whoever may not use it reads which verb and resource are missing. */
export function ActionButton(props: ActionButtonProps): ReactElement {
  const { action, namespace, icon, kind = 'plain', blocked, onClick, children } = props
  const access = useAccess(namespace)
  const found = access.data?.actions.find(each => each.action === action)
  const isDenied = found?.answer === 'denied'
  const why = isDenied ? `You may not ${found.words}.` : blocked
  const isBlocked = why !== undefined
  return (
    <button
      type="button"
      className={kind === 'plain' ? 'button' : `button ${kind}`}
      // Not `disabled`: the reason must be reachable by keyboard.
      aria-disabled={isBlocked}
      {...(isBlocked && { title: why, 'aria-description': why })}
      onClick={() => !isBlocked && onClick()}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}
