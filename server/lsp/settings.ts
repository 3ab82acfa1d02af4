import { readTorchVersion } from '../../engine/index.ts';
import { isLevel, type Levels } from '../workspace/config.ts';

/** The editor's settings, for one workspace folder. */
export interface Settings {
  readonly enable: boolean;
  /** Levels for what the project's own pyproject.toml leaves open. */
  readonly rules: Levels;
  readonly torchVersion: string | null;
}

export const DEFAULT_SETTINGS: Settings = { enable: true, rules: {}, torchVersion: null };

/** Reads whatever a client sent; what makes no sense counts as not set. */
export function parseSettings(sent: unknown): Settings {
  if (!isRecord(sent)) return DEFAULT_SETTINGS;
  const rules = isRecord(sent.rules) ? sent.rules : {};
  return {
    enable: typeof sent.enable === 'boolean' ? sent.enable : true,
    rules: Object.fromEntries(
      Object.entries(rules).flatMap(([rule, level]) => (isLevel(level) ? [[rule, level]] : [])),
    ),
    torchVersion: typeof sent.torchVersion === 'string' && isVersion(sent.torchVersion) ? sent.torchVersion : null,
  };
}

const isVersion = (text: string): boolean => typeof readTorchVersion(text) !== 'string';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
