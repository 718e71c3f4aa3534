// The part of phoenix that the console uses; the package has no types.
declare module 'phoenix' {
  export class Push { receive(status: string, callback: (response: never) => void): this; receive<T>(status: string, callback: (response: T) => void): this }
  export class Channel {
    on<T>(event: string, callback: (payload: T) => void): number;
    join(): Push;
    leave(): Push;
    push(event: string, payload: object): Push;
  }
  export class Socket {
    constructor(url: string, options: { vsn?: string; timeout?: number; sessionStorage?: object; reconnectAfterMs?: (tries: number) => number });
    isConnected(): boolean;
    channel(topic: string, params: () => object): Channel;
    connect(): void;
    disconnect(): void;
    onOpen(callback: () => void): string;
    onClose(callback: () => void): string;
    onError(callback: () => void): string;
  }
  export class Presence {
    constructor(channel: Channel);
    onSync(callback: () => void): void;
    list<M, T>(by: (id: string, presence: { metas: M[] }) => T): T[];
  }
}
