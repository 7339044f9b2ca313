import type { ReactElement } from 'react'

/** Drawn on 16 × 16, in the colour of the text. */
const PATHS = {
  overview: 'M2 3h4v4H2zM10 3h4v4h-4zM6 5h4M10 9.5h4v4h-4zM4 7v4.5h6',
  events: 'M8.8 1.8 3.5 9H8l-.8 5.2L12.5 7H8z',
  runs: 'M4.5 2.8v10.4L13 8z',
  objects: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6',
  health: 'M1.5 8.5h3l1.8-4.5 3 8 1.9-3.5h3.3',
  parked: 'M2.5 9.5 4.5 3h7l2 6.5v4h-11zM2.5 9.5h3.4l1 1.8h2.2l1-1.8h3.4',
  templates: 'M4 1.8h5.5L12.5 5v9.2H4zM9.2 2v3.3h3.1M6 8.2h4.5M6 10.8h4.5',
  operators:
    'M8 5.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8zM8 1.8v2.2M8 12v2.2M1.8 8H4M12 8h2.2M3.6 3.6l1.6 1.6M10.8 10.8l1.6 1.6M12.4 3.6l-1.6 1.6M5.2 10.8l-1.6 1.6',
  replay: 'M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3',
  audit: 'M3 3.5h10M3 6.5h10M3 9.5h6M3 12.5h6M11 11.3l1.3 1.3 2-2.4',
  access: 'M10.2 2.2a3.6 3.6 0 1 0 1.1 7l-.9-.9M7.4 8 2.2 13.2v.8h2.3v-1.5H6V11h1.5l1-1',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.5 3.5',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  pause: 'M5 3v10M11 3v10',
  play: 'M4.5 2.8v10.4L13 8z',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13 9.8A5.6 5.6 0 0 1 6.2 3 5.6 5.6 0 1 0 13 9.8z',
  clock: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 5v3.2l2.2 1.4',
  download: 'M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.6-1.6a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.6 1.6a2.8 2.8 0 0 1-4-4L5 7.5',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  send: 'M14 2 7 9M14 2 9.6 14 7 9 2 6.4z',
  stop: 'M4 4h8v8H4z',
  trash: 'M3 4.5h10M6 4.5V3h4v1.5M4.2 4.5l.6 9h6.4l.6-9',
  user: 'M8 2.5a2.7 2.7 0 1 0 0 5.4 2.7 2.7 0 0 0 0-5.4zM2.8 13.6c.6-2.6 2.7-4 5.2-4s4.6 1.4 5.2 4',
  terminal: 'M2.5 4 6 7.5 2.5 11M8 12h5.5',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactElement {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
