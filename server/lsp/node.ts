import process from 'node:process';
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { version } from '../../package.json';
import { loadParser } from '../grammar.ts';
import { nodeDisk } from '../workspace/node-disk.ts';
import { type Platform, serve } from './server.ts';

const platform: Platform = { disk: nodeDisk, version, loadParser };

// Whatever a client answers or fails to, the server lives on; what went wrong is in its log.
process.on('unhandledRejection', (error) => console.error(error));
process.on('uncaughtException', (error) => console.error(error));

/** The transport is named by the arguments of the process: --node-ipc, --stdio, --pipe or --socket. */
export function serveAsAsked(): void {
  serve(createConnection(ProposedFeatures.all), platform);
}

/** Standard input and output, whatever the arguments are. */
export function serveStdio(): void {
  const [reader, writer] = [new StreamMessageReader(process.stdin), new StreamMessageWriter(process.stdout)];
  serve(createConnection(ProposedFeatures.all, reader, writer), platform);
}
