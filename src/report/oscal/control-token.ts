/** A control as an OSCAL identifier: `soc2_CC6.1`. */
export function controlToken(control: string): string {
  return control.replace(/[^\p{L}\p{N}._-]/gu, '_').replace(/^(?![\p{L}_])/u, '_')
}
