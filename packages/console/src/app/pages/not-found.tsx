import type { ReactElement } from 'react'
import { Link, useLocation } from 'wouter'
import { Empty, Page } from '../parts/page.tsx'
import { href } from '../url.ts'

export default function NotFound(): ReactElement {
  const [path] = useLocation()
  return (
    <Page title="No such page">
      <Empty title={`The console has no page ${path}`}>
        <p>Ctrl K finds any event, run or object by its name or id.</p>
        <Link href={href('/')} className="button">
          Open the Overview
        </Link>
      </Empty>
    </Page>
  )
}
