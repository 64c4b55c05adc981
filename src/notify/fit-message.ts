import type { Message } from './message.ts'

/** Renders as many events as fit, at least none; the others are counted. */
export function fitMessage<Rendered>(
  message: Message,
  render: (message: Message) => Rendered,
  fits: (rendered: Rendered) => boolean,
): Rendered {
  const { events, more } = message
  for (let shown = events.length; ; shown--) {
    const rendered = render({ ...message, events: events.slice(0, shown), more: more + events.length - shown })
    if (shown === 0 || fits(rendered)) return rendered
  }
}
