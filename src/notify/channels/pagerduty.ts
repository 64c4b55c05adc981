import type { Severity } from '../../model/violation.ts'
import { sentenceOfEnding } from '../../report/describe-ending.ts'
import type { ProxyVariables } from '../../service/proxy-for.ts'
import { count } from '../../text/count.ts'
import { cut, neutralise } from '../../text/neutralise.ts'
import { endingOf } from '../find-events.ts'
import type { Event, Message, MessageFailure, SendMessage } from '../message.ts'
import { post } from '../post.ts'
import { onlyReason, plainText, sayEvent } from '../show-message.ts'

interface PagerDuty {
  readonly routing_key: string
  /** Of the Events API, with or without the path. */
  readonly url: string
}

/**
 * The Events API v2 of PagerDuty: an event triggers the alert of a key, another resolves it. Both may be repeated.
 * https://developer.pagerduty.com/docs/events-api-v2/trigger-events/
 */
export function sendToPagerDuty({ routing_key, url: base }: PagerDuty, env: ProxyVariables): SendMessage {
  const url = base.endsWith('/v2/enqueue') ? base : `${base.replace(/\/$/, '')}/v2/enqueue`
  return async (message, signal) => {
    const send = (event: object) =>
      post({ url, headers: {}, body: JSON.stringify({ routing_key, ...event }) }, env, signal)
    const { incident } = message
    // A resolving event has no room for words: how a violation ended is in the message, which the outbox keeps.
    if (incident?.action === 'resolve') return send({ event_action: 'resolve', dedup_key: incident.key })
    const sent = await send({ event_action: 'trigger', dedup_key: incident?.key ?? message.id, ...alertOf(message) })
    // A test leaves nothing open.
    if (incident !== undefined || !sent.ok) return sent
    return send({ event_action: 'resolve', dedup_key: message.id })
  }
}

/** `info` is what a person needs not act on: the severity of hookdrift's own tests. */
const severityOf: Readonly<Record<Severity, 'critical' | 'error' | 'warning' | 'info'>> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
  info: 'info',
}

/** A summary has at most 1024 characters, and `cut` adds the original length. */
const longestText = 900
const mostNamed = 10

function alertOf(message: Message) {
  const { events, created_at: timestamp, report_url, title, more } = message
  const [first] = events
  const only = events.length === 1 && more === 0 ? first : undefined
  const said = only === undefined ? (onlyReason(message) ?? title) : plainText(sayEvent(only))
  const detailed = only === undefined ? digestOf(message) : { ...detailsOf(only), report: message.command }
  const project = only?.project ?? undefined
  const links = [
    { href: only?.ui_url, text: 'Open in the gateway' },
    { href: only?.report_url, text: 'Show in the report' },
    { href: report_url, text: 'Open the report' },
  ].filter(({ href }) => href !== undefined)
  return {
    payload: {
      summary: textOf(said),
      source: textOf(project ?? 'hookdrift'),
      severity: severityOf[first?.severity ?? 'info'],
      timestamp,
      component: only?.kind && textOf(`${only.kind} ${only.uid ?? ''}`),
      group: project && textOf(project),
      class: only?.rule && textOf(only.rule),
      custom_details: detailed,
    },
    client: 'hookdrift',
    client_url: report_url,
    links: links.length === 0 ? undefined : links,
  }
}

function detailsOf(event: Event) {
  const { text, rule, kind, uid, name, owner, path, remediation, command, listing } = event
  const ended = event.resolution === undefined ? undefined : sentenceOfEnding(endingOf(event))
  const members = { ended, what: text, rule, kind, name, uid, owner, path, listing, fix: remediation, run: command }
  return Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) => (value ? [[member, textOf(value)]] : [])),
  )
}

function digestOf({ causes = [], failures = [], events, more, rules, command }: Message) {
  const saidFailures = failures.map(({ text, facts }) => [text, ...facts.map(sayFact)].join('; '))
  const saidCauses = causes.map(({ text, command }) => `${text}: ${command}`)
  return {
    failures: firstOf(saidFailures, 'failure'),
    causes: firstOf(saidCauses, 'cause'),
    worst: events.map((event) => textOf(plainText(sayEvent(event)))),
    more,
    rules: rules.map(({ rule, severity, events: count }) => textOf(`${count} × ${rule} (${severity})`)),
    run: command,
  }
}

/** An event that is longer than 512 KB is refused, and a run may have thousands of causes. */
function firstOf(texts: readonly string[], noun: string): readonly string[] | undefined {
  if (texts.length === 0) return undefined
  const omitted = texts.length - mostNamed
  return [...texts.slice(0, mostNamed).map(textOf), ...(omitted > 0 ? [`and ${count(omitted, `more ${noun}`)}`] : [])]
}

function sayFact({ label, text }: MessageFailure['facts'][number]): string {
  return `${label}: ${text}`
}

function textOf(text: string): string {
  return cut(neutralise(cut(text, 4 * longestText)), longestText)
}
