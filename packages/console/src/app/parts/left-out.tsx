import type { ReactElement } from 'react'
import { Link } from 'wouter'
import { useAccess } from '../access.tsx'
import { href, useAddress } from '../url.ts'

/** What a page does not show because the caller may not see it: nothing to be seen is else taken for nothing there. */
export function LeftOut(): ReactElement | null {
  const ns = useAddress().get('ns')
  const denied = useAccess(ns).data?.reads.filter(({ answer }) => answer === 'denied') ?? []
  if (denied.length === 0) return null
  return (
    <p className="notice" role="status">
      What you may not see in {ns === '' ? 'all namespaces' : ns} is left out:{' '}
      {denied.map(({ did }) => did.replace(/^See /, '')).join('; ')}. <Link href={href('/access')}>What may I do?</Link>
    </p>
  )
}
