import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { theme } from './preference.ts'
import { againAfter } from './request.ts'
import { signInFromAddress } from './sign-in.tsx'
import { timeMode } from './time.ts'

const applyTheme = () => {
  const chosen = theme.get()
  if (chosen === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = chosen
}
applyTheme()
theme.onChange(applyTheme)
const applyTimes = () => {
  document.documentElement.dataset.time = timeMode.get()
}
applyTimes()
timeMode.onChange(applyTimes)

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      refetchOnWindowFocus: false,
      retry: (count, error) => count < 2 && againAfter(error) !== false,
      refetchInterval: ({ state }) => againAfter(state.error),
    },
  },
})

// The token leaves the address bar before anything is shown.
const problem = await signInFromAddress()
createRoot(document.getElementById('app') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App signInProblem={problem} />
    </QueryClientProvider>
  </StrictMode>,
)
