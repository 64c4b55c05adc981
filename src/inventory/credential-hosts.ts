/** Hosts whose addresses are credentials, with their subdomains: knowing the path is enough to post. */
const credentialHosts = [
  ...['hooks.slack.com', 'hooks.slack-gov.com', 'discord.com', 'discordapp.com', 'chat.googleapis.com'],
  ...['hooks.zapier.com', 'hooks.chime.aws', 'api.telegram.org', 'maker.ifttt.com', 'events.pagerduty.com'],
  ...['events.eu.pagerduty.com', 'webhook.office.com', 'outlook.office.com', 'outlook.office365.com'],
  ...['logic.azure.com', 'api.powerplatform.com', 'hook.make.com', 'hook.eu1.make.com', 'hook.eu2.make.com'],
  ...['hook.us1.make.com', 'hook.us2.make.com', 'hook.integromat.com', 'hooks.glip.com', 'hooks.ringcentral.com'],
]

const escapedHosts = credentialHosts.join('|').replaceAll('.', '\\.')
/** Of a host in lower case, with or without a port and a trailing dot. */
const isBelowCredentialHost = new RegExp(`(?:^|\\.)(?:${escapedHosts})\\.?(?::\\d{0,5})?$`)

export function isCredentialHost(host: string): boolean {
  return host.includes('.') && isBelowCredentialHost.test(host.toLowerCase())
}

/** With a path behind it, and no scheme before it. */
const withPath = new RegExp(`(?<![\\w.-])(?:[\\w-]{1,63}\\.){0,4}(?:${escapedHosts})\\.?(?::\\d{0,5})?/\\w`, 'gi')

/** The index of such a host with a path, between two indexes of a text. */
export function credentialHostIn(text: string, from: number, to: number): number | undefined {
  if (!mayHoldHost.test(text)) return undefined
  withPath.lastIndex = from
  const found = withPath.exec(text)
  return found !== null && found.index < to ? found.index : undefined
}

/** A word of each host; most texts have none. */
const mayHoldHost =
  /slack|discord|googleapis|zapier|chime|telegram|ifttt|pagerduty|office|azure|platform|make\.|integromat|glip|ringcentral/i
